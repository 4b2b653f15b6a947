package io.strandline.watermark;

/**
 * What one run does to one stream: where it started from, what it reads, and what it stores.
 *
 * @param stream the stream
 * @param stored the watermark that the run started from
 * @param range the rows that it reads
 * @param next the watermark that it stores: the range's own upper end; the stored one where that is
 *     greater, and less than the range's end where a future watermark is capped
 */
public record StreamRange(
    StreamName stream, Watermark stored, WatermarkRange range, Watermark next) {
  /** Tells whether the run moves the watermark of this stream. */
  public boolean moves() {
    return !next.equals(stored);
  }
}
