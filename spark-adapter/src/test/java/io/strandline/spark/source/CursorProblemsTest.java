package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Cursor;
import io.strandline.source.FutureCursors;
import io.strandline.source.NullCursors;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.RowFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What is said about a cursor that does not go with its rows. */
@ExtendWith(LakehouseExtension.class)
class CursorProblemsTest {
  private static final String TIMES =
      "Look back by a time if the first watermark column is of time,"
          + " by a number if it is a number.";

  private Lakehouse tables;

  @BeforeEach
  void remember(Lakehouse lakehouse) {
    tables = lakehouse;
  }

  /** All sources say the same, so one that needs no table does. */
  private QuerySource orders(Cursor cursor) {
    return QuerySource.named(
            "orders",
            () ->
                tables.dataset(
                    "id BIGINT, _loaded_at TIMESTAMP, local TIMESTAMP_NTZ, is_open BOOLEAN, price"
                        + " DOUBLE, name STRING, tags ARRAY<STRING>",
                    RowFactory.create(1, null, null, null, null, null, null)))
        .newerBy(cursor);
  }

  static Stream<Arguments> misfits() {
    Watermark monday = Watermark.at(Instant.parse("2026-06-01T08:00:00Z"));
    return Stream.of(
        Arguments.of(
            Cursor.on("_loadedat"),
            "'_loadedat': there is no column '_loadedat'. Columns: id, _loaded_at, local, is_open,"
                + " price, name, tags. Did you mean '_loaded_at'?"),
        Arguments.of(
            Cursor.on("_loaded_at", "sequence"),
            "'_loaded_at', 'sequence': there is no column 'sequence'. Columns: id, _loaded_at,"
                + " local, is_open, price, name, tags."),
        Arguments.of(
            Cursor.on("is_open"),
            "'is_open': column 'is_open' is BOOLEAN, of which no watermark can be taken. Measure by"
                + " a timestamp, a date, an integer, a decimal or text."),
        Arguments.of(
            Cursor.on("tags"),
            "'tags': column 'tags' is ARRAY<STRING>, of which no watermark can be taken. Measure by"
                + " a timestamp, a date, an integer, a decimal or text."),
        Arguments.of(
            Cursor.on("price"),
            "'price': column 'price' is DOUBLE, whose values are not exact and need not be numbers."
                + " Measure by another column, or by an expression that casts it to a decimal."),
        Arguments.of(
            Cursor.expression("collate(name, 'UTF8_LCASE')"),
            "'collate(name, 'UTF8_LCASE')': the expression is STRING COLLATE UTF8_LCASE, and watermarks of text are ordered"
                + " by code points. Measure by another column, or by an expression that collates it"
                + " as UTF8_BINARY."),
        Arguments.of(
            Cursor.expression("id > 5"),
            "'id > 5': the expression is BOOLEAN, of which no watermark can be taken. Measure by a"
                + " timestamp, a date, an integer, a decimal or text."),
        Arguments.of(
            Cursor.expression("coalesce(_loaded_at, current_timestamp())"),
            "'coalesce(_loaded_at, current_timestamp())': the expression gives another value each"
                + " time it is computed. Leave out the clock and random numbers."),
        Arguments.of(
            Cursor.expression("cast(rand() * 10 as bigint)"),
            "'cast(rand() * 10 as bigint)': the expression gives another value each time it is"
                + " computed. Leave out the clock and random numbers."),
        Arguments.of(
            Cursor.on("id").lookback(Duration.ofDays(1)),
            "'id': the lookback is PT24H, and what is measured by is an integer. " + TIMES),
        Arguments.of(
            Cursor.on("_loaded_at").lookback(5),
            "'_loaded_at': the lookback is 5, and what is measured by is a timestamp. " + TIMES),
        Arguments.of(
            Cursor.on("id").notBefore(monday),
            "'id': the floor (notBefore) is 2026-06-01T08:00:00Z, a timestamp, and what is measured"
                + " by is an integer. Give it as many values as there are columns, of the same"
                + " kinds."),
        Arguments.of(
            Cursor.on("_loaded_at", "id").notBefore(monday),
            "'_loaded_at', 'id': the floor (notBefore) is 2026-06-01T08:00:00Z, a timestamp, and"
                + " what is measured by is a timestamp and an integer. Give it as many values as"
                + " there are columns, of the same kinds."),
        Arguments.of(
            Cursor.on("_loaded_at", "id").sentinel(Watermark.of("never")),
            "'_loaded_at', 'id': the sentinel is 'never', text, and what is measured by is a"
                + " timestamp and an integer. Name a value of the kind that a watermark column"
                + " has."),
        Arguments.of(
            Cursor.on("id").settledFor(Duration.ofMinutes(5)),
            "'id': rows settle for PT5M, and what is measured by is an integer. Only a watermark of"
                + " time settles; leave the settle time out, and look back instead."),
        Arguments.of(
            Cursor.on("local").settledFor(Duration.ofMinutes(5)),
            "'local': rows settle for PT5M, and what is measured by is a timestamp without a zone."
                + " Declare its zone with inZone(..)."),
        Arguments.of(
            Cursor.on("id").future(FutureCursors.CAP),
            "'id': values beyond the clock are capped, and what is measured by is an integer. Only"
                + " a watermark of time can lie in the future."));
  }

  @ParameterizedTest
  @MethodSource("misfits")
  void plan_ofACursorThatDoesNotFit_saysWhyAndWhatToDo(Cursor cursor, String message) {
    QuerySource source = orders(cursor);

    assertThatThrownBy(() -> new Follower().plan(source))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessage("Cannot read orders newer by " + message);
  }

  @Test
  void plan_ofAnExpressionThatSparkRefuses_saysWhatSparkSays() {
    QuerySource unknown = orders(Cursor.expression("coalesce(modified, _loaded_at)"));
    QuerySource aggregate = orders(Cursor.expression("max(id)"));
    QuerySource unparsable = orders(Cursor.expression("coalesce("));

    for (QuerySource source : List.of(unknown, aggregate, unparsable)) {
      assertThatThrownBy(() -> new Follower().plan(source))
          .isInstanceOfSatisfying(
              Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
          .hasMessageStartingWith("Cannot read orders newer by '")
          .hasMessageEndingWith("Columns: id, _loaded_at, local, is_open, price, name, tags.")
          .hasMessageNotContainingAny("\n");
    }

    assertThatThrownBy(() -> new Follower().plan(unknown)).hasMessageContaining("modified");
  }

  @Test
  void plan_fromAWatermarkOfAnotherKind_saysSo() {
    QuerySource source = orders(Cursor.on("_loaded_at"));

    assertThatThrownBy(() -> Follower.at(Watermark.of(17)).plan(source))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.BAD_CONFIGURATION))
        .hasMessage(
            "Cannot read orders newer by '_loaded_at': the stored watermark is 17, an integer, and"
                + " what is measured by is a timestamp. Measure by the columns that it was taken"
                + " from, or call rewind(..) with a watermark of the new kind, or reload().");
  }

  @Test
  void plan_ofMissingValuesThatAreRefused_countsThem() {
    QuerySource source = orders(Cursor.on("_loaded_at").nulls(NullCursors.REFUSE));

    assertThatThrownBy(() -> new Follower().plan(source))
        .isInstanceOfSatisfying(
            Problem.class, e -> assertThat(e.kind()).isEqualTo(ProblemKind.NULL_CURSOR))
        .hasMessage(
            "Cannot read orders newer by '_loaded_at': 1 row of orders has no value"
                + " there. Give every row a value, or say nulls(QUARANTINE) or nulls(LOAD) of the"
                + " cursor.");
  }
}
