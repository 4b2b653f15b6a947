package io.strandline.spark.watermark;

import io.strandline.watermark.WatermarkKind;
import org.jspecify.annotations.Nullable;

/**
 * The names of the columns of a watermark table, as they were declared.
 *
 * @param name the column of the row's name
 * @param value the column of the watermark
 * @param kind what kind of watermark the value column holds; null to tell it from the column's type
 * @param updated the column of the time of the last change; null if there is none
 * @param typed the column for watermarks that the value column cannot hold; null if there is none
 * @param state the column of the state; null if there is none
 * @param origin whose table it is
 */
record ControlColumns(
    String name,
    String value,
    @Nullable WatermarkKind kind,
    @Nullable String updated,
    @Nullable String typed,
    @Nullable String state,
    Origin origin) {
  /** Whose table it is. */
  enum Origin {
    /** Ours: made when it is first needed; of the optional columns those are used that exist. */
    OWN,
    /** Somebody else's: it must exist, with all columns that were named, and others are let be. */
    GIVEN
  }

  static final ControlColumns DEFAULT =
      new ControlColumns(
          "table_name", "last_value", null, "updated_at", "typed_value", "state", Origin.OWN);

  /** The first name that is given makes the table somebody else's; only what is named counts. */
  private ControlColumns given() {
    return origin == Origin.GIVEN
        ? this
        : new ControlColumns(name, value, kind, null, null, null, Origin.GIVEN);
  }

  ControlColumns withName(String column) {
    ControlColumns base = given();
    return new ControlColumns(
        column, base.value, base.kind, base.updated, base.typed, base.state, base.origin);
  }

  ControlColumns withValue(String column, @Nullable WatermarkKind valueKind) {
    ControlColumns base = given();
    return new ControlColumns(
        base.name, column, valueKind, base.updated, base.typed, base.state, base.origin);
  }

  ControlColumns withUpdated(String column) {
    ControlColumns base = given();
    return new ControlColumns(
        base.name, base.value, base.kind, column, base.typed, base.state, base.origin);
  }

  ControlColumns withTyped(String column) {
    ControlColumns base = given();
    return new ControlColumns(
        base.name, base.value, base.kind, base.updated, column, base.state, base.origin);
  }

  ControlColumns withState(String column) {
    ControlColumns base = given();
    return new ControlColumns(
        base.name, base.value, base.kind, base.updated, base.typed, column, base.origin);
  }
}
