package io.strandline.watermark;

/**
 * The name of one of the streams that a load reads, each with a watermark of its own.
 *
 * <p>Most loads have one stream, which needs no name: {@link #only()}.
 *
 * @param value the name; empty only for the one stream of a load that has no others
 */
public record StreamName(String value) implements Comparable<StreamName> {
  private static final StreamName ONLY = new StreamName("");

  /** Returns the name of the one stream of a load that has no others. */
  public static StreamName only() {
    return ONLY;
  }

  @Override
  public int compareTo(StreamName other) {
    return value.compareTo(other.value);
  }

  /** Returns the name; empty for the only stream. */
  @Override
  public String toString() {
    return value;
  }
}
