/**
 * A local Spark with Delta for tests: a session per JVM, fresh tables per test, and assertions on
 * datasets.
 *
 * <p>Start with {@link io.strandline.testkit.spark.LakehouseExtension}. The only package of the
 * testkit that needs Spark and Delta on the class path.
 */
@NullMarked
package io.strandline.testkit.spark;

import org.jspecify.annotations.NullMarked;
