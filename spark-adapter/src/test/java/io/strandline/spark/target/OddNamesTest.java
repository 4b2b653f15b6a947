package io.strandline.spark.target;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadResult;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.SchemaPolicy.NewColumns;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.target.Deletes;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.RowFactory;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructType;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Columns may have any name, in every part that they play. */
@ExtendWith(LakehouseExtension.class)
class OddNamesTest {

  /** Names that need mapping come in every build, since they show the most. */
  static Stream<Arguments> names() {
    return Stream.of(
            arguments("Schlüssel Nr.", "a,b;{c}(d)=e", "where", "from\tto", "größe in cm"),
            arguments("user.id", "last-update", "order", "it`s", "x.y`z"))
        .limit(Boolean.getBoolean("strandline.extended") ? 2 : 1);
  }

  @ParameterizedTest
  @MethodSource("names")
  void load_ofOddNames_asKeyWatermarkPayloadPartitionAndFlag_isRight(
      String key, String time, String payload, String gone, String added, Lakehouse lakehouse) {
    StructType columns =
        new StructType()
            .add(key, DataTypes.LongType)
            .add(time, DataTypes.LongType)
            .add(payload, DataTypes.StringType)
            .add(gone, DataTypes.BooleanType);
    String bronze = lakehouse.table("bronze");
    String silver = lakehouse.table("silver");
    land(lakehouse, bronze, columns, row(1L, 1L, "a", false), row(2L, 1L, "b", false));
    land(lakehouse, bronze, columns, row(null, 1L, "c", false));
    IncrementalLoad<Dataset<Row>> load =
        IncrementalLoad.named("odd")
            .from(DeltaTableSource.forName(lakehouse.spark(), bronze).newerBy(time))
            .cleanedBy((Dataset<Row> rows) -> rows.drop("_loaded_at"))
            .into(
                DeltaMergeTarget.forName(lakehouse.spark(), silver)
                    .matchedOn(key)
                    .tieBrokenBy(payload)
                    .deletedWhen(Deletes.hard(gone, true))
                    .createdIfMissing(TableLayout.plain().partitionedBy(payload))
                    .onSchemaDrift(SchemaPolicy.strict().newColumns(NewColumns.ADD)))
            .trackedIn(DeltaWatermarkStore.forName(lakehouse.spark(), lakehouse.table("marks")))
            .build();
    assertThat(load.run()).inserted(2).rejected(1).addsUp();
    lakehouse
        .spark()
        .sql("ALTER TABLE " + bronze + " ADD COLUMNS (" + Columns.quoted(added) + " STRING)");
    land(
        lakehouse,
        bronze,
        columns.add(added, DataTypes.StringType),
        row(1L, 2L, "d", false, "new"),
        row(2L, 2L, "b", true, null));

    LoadResult result = load.run();

    assertThat(result).updated(1).addsUp();
    assertThat(result.counts().deleted()).isEqualTo(1);
    assertThat(result.notes().schemaChanges())
        .containsExactly("Column '" + added + "' (string) was added to the table.");
    assertThat(
            lakehouse
                .spark()
                .table(silver)
                .select(
                    Columns.col(key), Columns.col(time), Columns.col(payload), Columns.col(added)))
        .hasRows(Rows.columns(key, time, payload, added).row(1L, 2L, "d", "new"));
    assertThat(lakehouse.spark().table(silver + "_tombstones").select(Columns.col(key)))
        .hasRows(Rows.columns(key).row(2L));
    assertThat(lakehouse.spark().table(silver + "_quarantine").head().<String>getAs("raw_row"))
        .contains("\"c\"");
    assertThat(load.run()).foundNothingNew();
  }

  private static Row row(@Nullable Object... values) {
    return RowFactory.create(values);
  }

  private static void land(Lakehouse lakehouse, String bronze, StructType columns, Row... rows) {
    Landing.into(lakehouse.spark(), bronze)
        .land(lakehouse.spark().createDataFrame(List.of(rows), columns));
  }
}
