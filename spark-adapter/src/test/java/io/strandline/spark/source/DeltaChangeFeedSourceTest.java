package io.strandline.spark.source;

import static io.strandline.testkit.assertion.LoadAssertions.assertThat;
import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.delta.tables.DeltaTable;
import io.strandline.load.IncrementalLoad;
import io.strandline.load.LoadException;
import io.strandline.load.LoadResult;
import io.strandline.load.RowCounts;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.SourcePlan;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.target.DeltaMergeTarget;
import io.strandline.target.Deletes;
import io.strandline.testkit.fake.FakeWatermarkStore;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Bound;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.delta.DeltaLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class DeltaChangeFeedSourceTest {

  @Test
  void read_ofSeveralCommits_givesWhatEachKeyWasAfterEachCommit(Lakehouse lakehouse) {
    String bronze = bronze(lakehouse);
    Follower follower = new Follower();
    SourcePlan.Planned<Dataset<Row>> first = follower.planned(source(lakehouse, bronze));

    assertThat(first.read().rows().drop("_commit_timestamp"))
        .hasRows(changes().row(1, "a", "insert", 1).row(2, "b", "insert", 1));
    assertThat(first.ranges().get(0).next()).isEqualTo(Watermark.ofVersion(1));
    follower.finish(first);

    lakehouse.spark().sql("UPDATE " + bronze + " SET v = 'a2' WHERE id = 1");
    lakehouse.spark().sql("UPDATE " + bronze + " SET id = 20 WHERE id = 2");
    lakehouse.spark().sql("DELETE FROM " + bronze + " WHERE id = 1");
    lakehouse
        .dataset("id BIGINT, v STRING", row(20, "replaced"), row(30, "new"))
        .write()
        .mode("overwrite")
        .insertInto(bronze);
    SourcePlan.Planned<Dataset<Row>> second = follower.planned(source(lakehouse, bronze));

    assertThat(second.read().rows().drop("_commit_timestamp"))
        .hasRows(
            changes()
                .row(1, "a2", "update_postimage", 2)
                .row(2, "b", "delete", 3)
                .row(20, "b", "update_postimage", 3)
                .row(1, "a2", "delete", 4)
                .row(20, "replaced", "insert", 5)
                .row(30, "new", "insert", 5));
    assertThat(second.read().counts().get().rows()).isEqualTo(6);
    assertThat(second.ranges().get(0).next()).isEqualTo(Watermark.ofVersion(5));
    assertThat(second.explanation()).isEqualTo(bronze + ", the changes of versions 2 to 5");

    follower.finish(second);
    assertThat(
            lakehouse.jobsOf(
                () ->
                    assertThat(follower.plan(source(lakehouse, bronze)))
                        .isInstanceOf(SourcePlan.NothingNew.class)))
        .isZero();

    SourcePlan<Dataset<Row>> backfill =
        source(lakehouse, bronze)
            .planBackfill(
                StreamName.only(),
                new WatermarkRange(
                    Watermark.ofVersion(4), Bound.INCLUSIVE, Watermark.ofVersion(4)));
    assertThat(
            ((SourcePlan.Planned<Dataset<Row>>) backfill)
                .read()
                .rows()
                .select("id", "_change_type"))
        .hasRows(Rows.columns("id", "_change_type").row(1, "delete"));
  }

  @Test
  void load_ofAFeed_followsInsertsUpdatesDeletesAndKeyChanges(Lakehouse lakehouse) {
    String bronze = bronze(lakehouse);
    String silver = lakehouse.table("silver");
    FakeWatermarkStore store = FakeWatermarkStore.empty();
    load(lakehouse, bronze, silver, store).run();
    lakehouse.spark().sql("UPDATE " + bronze + " SET v = 'a2' WHERE id = 1");
    lakehouse.spark().sql("UPDATE " + bronze + " SET id = 20 WHERE id = 2");
    lakehouse.spark().sql("DELETE FROM " + bronze + " WHERE id = 1");

    LoadResult result = load(lakehouse, bronze, silver, store).run();

    assertThat(result).addsUp();
    assertThat(result.counts()).isEqualTo(new RowCounts(4, 1, 0, 2, 0, 1, 0, 0, 0));
    assertThat(lakehouse.spark().table(silver))
        .hasRows(Rows.columns("id", "v", "_commit_version").row(20, "b", 3));
    assertThat(result.watermark()).isEqualTo(Watermark.ofVersion(4));

    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (40, 'lost')");
    lakehouse.spark().sql("DELETE FROM " + bronze + " WHERE id = 40");
    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (1, 'again')");
    vacuum(lakehouse, bronze);
    assertThatThrownBy(() -> load(lakehouse, bronze, silver, store).run())
        .isInstanceOf(LoadException.class);

    load(lakehouse, bronze, silver, store).reload();

    assertThat(lakehouse.spark().table(silver).drop("_commit_version"))
        .hasRows(Rows.columns("id", "v").row(20, "b").row(1, "again"));
    assertThat(load(lakehouse, bronze, silver, store).run()).foundNothingNew();
  }

  @Test
  void plan_ofVacuumedChanges_namesTheFirstVersionThatCanBeRead(Lakehouse lakehouse) {
    String bronze = bronze(lakehouse);
    Follower follower = Follower.at(Watermark.ofVersion(1));
    lakehouse.spark().sql("DELETE FROM " + bronze + " WHERE id = 1");
    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (3, 'c')");
    assertThat(follower.planned(source(lakehouse, bronze)).ranges()).hasSize(1);
    vacuum(lakehouse, bronze);

    assertThatThrownBy(() -> follower.plan(source(lakehouse, bronze)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SOURCE_HISTORY_LOST))
        .hasMessage(
            "Cannot read the change feed of "
                + bronze
                + ": the changes of version 2 are gone, vacuumed or cleaned from the log, or the"
                + " feed was off: the first version from which on its changes can be read is 3."
                + " Call reload(), which reads the table as it is now, and goes on from there. To go"
                + " on without what is lost, rewind(..) to a later version.");
  }

  @Test
  void plan_ofALogThatWasCutOrAFeedThatWasOff_isHistoryLost(Lakehouse lakehouse)
      throws IOException {
    String bronze = bronze(lakehouse);
    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (3, 'c')");
    setFeed(lakehouse, bronze, false);
    setFeed(lakehouse, bronze, true);
    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (4, 'd')");

    assertLost(lakehouse, bronze, 1, "is 4");
    assertThat(Follower.at(Watermark.ofVersion(3)).planned(source(lakehouse, bronze)).ranges())
        .hasSize(1);

    cutLog(lakehouse, bronze, 5);
    assertLost(lakehouse, bronze, 3, "is 5");
  }

  /** Leaves what the cleaning of an old log leaves: a checkpoint, and the commits from it on. */
  @SuppressWarnings("deprecation") // Delta's other way to a checkpoint wants its own types.
  private static void cutLog(Lakehouse lakehouse, String table, long newest) throws IOException {
    String location = DeltaRef.forName(lakehouse.spark(), table).snapshot().location();
    DeltaLog.forTable(lakehouse.spark(), new org.apache.hadoop.fs.Path(location)).checkpoint();

    for (long version = 0; version < newest; version++) {
      Files.delete(
          Path.of(URI.create(location))
              .resolve("_delta_log")
              .resolve(String.format(Locale.ROOT, "%020d.json", version)));
    }
  }

  @Test
  void plan_ofATableMadeAnew_isRecreated(Lakehouse lakehouse) {
    String bronze = bronze(lakehouse);
    Follower follower = new Follower();
    follower.run(source(lakehouse, bronze));
    lakehouse.spark().sql("DROP TABLE " + bronze);
    bronze(lakehouse);
    lakehouse.spark().sql("INSERT INTO " + bronze + " VALUES (3, 'c')");

    assertThatThrownBy(() -> follower.plan(source(lakehouse, bronze)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SOURCE_RECREATED));
    assertLost(lakehouse, bronze, 9, "newest version is now 2");
  }

  @Test
  void plan_ofATableWithoutFeedOrKey_saysSo(Lakehouse lakehouse) {
    String plain = lakehouse.append("plain", lakehouse.dataset("id BIGINT", row(1)));

    assertThatThrownBy(() -> new Follower().plan(source(lakehouse, plain)))
        .hasMessage(
            "Cannot read the change feed of "
                + plain
                + ": the table keeps no change feed. Turn it on: ALTER TABLE "
                + plain
                + " SET TBLPROPERTIES (delta.enableChangeDataFeed = true). It tells of what changes"
                + " from then on.");
    assertThatThrownBy(
            () ->
                new Follower()
                    .plan(DeltaChangeFeedSource.forName(lakehouse.spark(), plain).keyedBy("idd")))
        .hasMessageContaining("Did you mean 'id'?");
    assertThatThrownBy(
            () -> Follower.at(Watermark.of("text")).plan(source(lakehouse, bronze(lakehouse))))
        .hasMessageContaining("a change feed is measured by versions");
  }

  private static void assertLost(Lakehouse lakehouse, String bronze, long from, String words) {
    assertThatThrownBy(() -> Follower.at(Watermark.ofVersion(from)).plan(source(lakehouse, bronze)))
        .isInstanceOfSatisfying(
            Problem.class,
            problem -> assertThat(problem.kind()).isEqualTo(ProblemKind.SOURCE_HISTORY_LOST))
        .hasMessageContaining(words);
  }

  /** Makes a table with a feed; its version 1 holds the rows 1 and 2, in one file. */
  private static String bronze(Lakehouse lakehouse) {
    String bronze = lakehouse.table("bronze");
    lakehouse
        .spark()
        .sql(
            "CREATE TABLE "
                + bronze
                + " (id BIGINT, v STRING) USING delta TBLPROPERTIES"
                + " (delta.enableChangeDataFeed = true)");
    return lakehouse.append(
        "bronze", lakehouse.dataset("id BIGINT, v STRING", row(1, "a"), row(2, "b")).coalesce(1));
  }

  private static void setFeed(Lakehouse lakehouse, String table, boolean isOn) {
    lakehouse
        .spark()
        .sql(
            "ALTER TABLE "
                + table
                + " SET TBLPROPERTIES (delta.enableChangeDataFeed = "
                + isOn
                + ")");
  }

  private static void vacuum(Lakehouse lakehouse, String table) {
    lakehouse.spark().conf().set("spark.databricks.delta.retentionDurationCheck.enabled", "false");
    DeltaTable.forName(lakehouse.spark(), table).vacuum(0);
  }

  private static DeltaChangeFeedSource source(Lakehouse lakehouse, String table) {
    return DeltaChangeFeedSource.forName(lakehouse.spark(), table).keyedBy("id");
  }

  private static IncrementalLoad<Dataset<Row>> load(
      Lakehouse lakehouse, String bronze, String silver, FakeWatermarkStore store) {
    return IncrementalLoad.named("orders")
        .from(source(lakehouse, bronze))
        .into(
            DeltaMergeTarget.forName(lakehouse.spark(), silver)
                .matchedOn("id")
                .deletedWhen(Deletes.ofChangeFeed())
                .createdIfMissing())
        .trackedIn(store)
        .build();
  }

  private static Rows changes() {
    return Rows.columns("id", "v", "_change_type", "_commit_version");
  }

  private static Row row(Object... values) {
    return org.apache.spark.sql.RowFactory.create(values);
  }
}
