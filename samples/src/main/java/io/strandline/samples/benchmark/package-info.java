/**
 * Loads of one kind done in several ways, side by side, with what each takes and reads and writes.
 *
 * <p>Start with {@link io.strandline.samples.benchmark.Benchmark}. A {@link
 * io.strandline.samples.benchmark.BenchmarkCase} has a {@link
 * io.strandline.samples.benchmark.Contestant} for every {@link
 * io.strandline.samples.benchmark.Contender}; each of its trials is measured by the {@link
 * io.strandline.samples.benchmark.Meter}.
 */
@NullMarked
package io.strandline.samples.benchmark;

import org.jspecify.annotations.NullMarked;
