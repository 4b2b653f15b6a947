/**
 * Where rows come from: the source that plans a range and reads it, and the options that all
 * sources with a watermark column share.
 *
 * <p>Start with {@link io.strandline.source.IncrementalSource} to write a source, with {@link
 * io.strandline.source.Cursor} to say which rows of one are new.
 */
@NullMarked
package io.strandline.source;

import org.jspecify.annotations.NullMarked;
