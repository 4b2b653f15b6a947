package io.strandline.spark.source;

import java.sql.Types;
import java.util.Set;

/**
 * A column of a table in a database, as its driver describes it.
 *
 * @param name the name
 * @param kind what it holds, as far as that decides how it is read and compared
 * @param nativeType the database's own name of the type, in lower case
 * @param fraction how many digits of a second it has; meaningful for times only
 * @param nulls whether it can be null
 */
record JdbcColumn(String name, Kind kind, String nativeType, int fraction, Nulls nulls) {
  /** How many digits of a second a watermark keeps. */
  private static final int DIGITS_OF_A_WATERMARK = 6;

  private static final Set<Integer> TEXT_TYPES =
      Set.of(
          Types.CHAR,
          Types.VARCHAR,
          Types.LONGVARCHAR,
          Types.NCHAR,
          Types.NVARCHAR,
          Types.LONGNVARCHAR);

  /** What a column holds. */
  enum Kind {
    /** A point in time. */
    INSTANT,
    /** A date and time of day without a zone. */
    LOCAL_TIMESTAMP,
    /** A day. */
    DATE,
    /** The counter that a database raises with every change. */
    ROW_VERSION,
    /** Text. */
    TEXT,
    /** Anything else, which is read as Spark reads it. */
    OTHER;

    /** Tells whether values are read as text, exactly and in nobody's calendar or zone. */
    boolean isTime() {
      return this == INSTANT || this == LOCAL_TIMESTAMP || this == DATE;
    }
  }

  /** Whether a column can be null. */
  enum Nulls {
    NEVER,
    POSSIBLE
  }

  /** Returns the kind that most databases mean by a type of JDBC. */
  static Kind kindOf(int jdbcType) {
    return switch (jdbcType) {
      case Types.TIMESTAMP -> Kind.LOCAL_TIMESTAMP;
      case Types.TIMESTAMP_WITH_TIMEZONE -> Kind.INSTANT;
      case Types.DATE -> Kind.DATE;
      default -> TEXT_TYPES.contains(jdbcType) ? Kind.TEXT : Kind.OTHER;
    };
  }

  /** Tells whether several values of the column are one and the same watermark. */
  boolean isFinerThanWatermarks() {
    return kind.isTime() && kind != Kind.DATE && fraction > DIGITS_OF_A_WATERMARK;
  }
}
