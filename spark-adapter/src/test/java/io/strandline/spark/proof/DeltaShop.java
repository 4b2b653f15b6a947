package io.strandline.spark.proof;

import io.delta.tables.DeltaTable;
import io.strandline.load.IncrementalLoad;
import io.strandline.spark.source.DeltaTableSource;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.spark.watermark.DeltaWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.fault.FaultPlan;
import io.strandline.testkit.fault.Faults;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.watermark.Watermark;
import java.time.Instant;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** The orders of a shop on Delta: everything around one load, in tables of one test. */
final class DeltaShop {
  static final Instant MONDAY = Instant.parse("2026-06-01T22:00:00Z");
  static final Instant TUESDAY = Instant.parse("2026-06-02T22:00:00Z");
  static final Instant WEDNESDAY = Instant.parse("2026-06-03T22:00:00Z");
  static final Instant THURSDAY = Instant.parse("2026-06-04T22:00:00Z");

  private static final String COLUMNS = "id BIGINT, item STRING, loaded_at TIMESTAMP";

  private final Lakehouse lakehouse;
  private final String suffix;

  private DeltaShop(Lakehouse lakehouse, String suffix) {
    this.lakehouse = lakehouse;
    this.suffix = suffix;
  }

  static DeltaShop in(Lakehouse lakehouse) {
    return new DeltaShop(lakehouse, "");
  }

  /** Opens one of several shops of a test. */
  static DeltaShop in(Lakehouse lakehouse, int number) {
    return new DeltaShop(lakehouse, "_" + number);
  }

  /** Opens a shop whose first two nights are loaded: apples on Monday, pears on Tuesday. */
  static DeltaShop afterTwoNights(Lakehouse lakehouse) {
    DeltaShop shop = in(lakehouse);
    shop.land(orders().row(1, "apples", MONDAY));
    shop.load().run();
    shop.land(orders().row(2, "pears", TUESDAY));
    shop.load().run();
    return shop;
  }

  /** Orders as they land; the sequence by default is when they were loaded. */
  static Rows orders() {
    return Rows.columns("id", "item", "loaded_at");
  }

  static Watermark at(Instant instant) {
    return Watermark.at(instant);
  }

  void land(Rows rows) {
    append("bronze", rows);
  }

  void append(String table, Rows rows) {
    lakehouse.append(table + suffix, lakehouse.dataset(COLUMNS, rows));
  }

  IncrementalLoad<Dataset<Row>> load() {
    return load(Faults.none());
  }

  IncrementalLoad<Dataset<Row>> load(FaultPlan faults) {
    return builder("orders", faults).build();
  }

  IncrementalLoad.Builder<Dataset<Row>> builder(String load, FaultPlan faults) {
    return from(load, faults).into(faults.wrap(target("silver"))).trackedIn(faults.wrap(store()));
  }

  IncrementalLoad.Builder<Dataset<Row>> from(String load, FaultPlan faults) {
    return IncrementalLoad.named(load)
        .from(faults.wrap(DeltaTableSource.forName(spark(), table("bronze")).newerBy("loaded_at")));
  }

  DeltaMergeTarget target(String table) {
    return DeltaMergeTarget.forName(spark(), table(table)).matchedOn("id").createdIfMissing();
  }

  DeltaWatermarkStore store() {
    return DeltaWatermarkStore.forName(spark(), table("etl_watermark"));
  }

  Dataset<Row> silver() {
    return spark().table(table("silver"));
  }

  /** Counts the Spark jobs of an action. */
  long jobsOf(Runnable action) {
    return lakehouse.jobsOf(action);
  }

  /** Returns how many commits a table has, with its creation. */
  long commits(String table) {
    return DeltaTable.forName(spark(), table(table)).history().count();
  }

  /** Runs a statement in which {@code {name}} stands for a table of the shop. */
  void sql(String statement) {
    String named = statement;

    for (String name : new String[] {"bronze", "silver", "etl_watermark", "clone"}) {
      named = named.replace("{" + name + "}", table(name));
    }

    spark().sql(named).collectAsList();
  }

  String table(String name) {
    return lakehouse.table(name + suffix);
  }

  SparkSession spark() {
    return lakehouse.spark();
  }
}
