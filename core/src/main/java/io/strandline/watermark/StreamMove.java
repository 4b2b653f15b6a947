package io.strandline.watermark;

/**
 * The move of one stream's watermark, made only if the store still holds what the run read.
 *
 * @param stream the stream
 * @param expected the row that the run read; its value and time must still stand in the store
 * @param to the new watermark
 * @param state what to keep beside it
 */
public record StreamMove(
    StreamName stream, StoredStream expected, Watermark to, StoreState state) {}
