package io.strandline.spark.target;

import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.first;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.min;
import static org.apache.spark.sql.functions.not;
import static org.apache.spark.sql.functions.row_number;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.substring;
import static org.apache.spark.sql.functions.sum;
import static org.apache.spark.sql.functions.to_json;
import static org.apache.spark.sql.functions.when;

import io.strandline.clean.Cleaned;
import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.target.MergeColumns.Removal;
import io.strandline.target.CheckFinding;
import io.strandline.target.RejectedRows;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.expressions.Window;
import org.apache.spark.sql.expressions.WindowSpec;

/**
 * The rows of one range as they were when they were first computed, each with its rank among the
 * versions of its key.
 *
 * <p>Every later look at them sees the same rows: a source that moves on, and a cleaner that
 * answers differently the second time, change nothing. Safe for use by several threads.
 */
final class FrozenRows {
  private static final String REASON = Reading.REASON_COLUMN;
  private static final String RAW = Cleaned.RAW_COLUMN;
  private static final String RANK = "_strandline_rank";

  /** The column that holds what a bare delete lacks: a newest version that is not bare. */
  static final String FILLER = "_strandline_filler";

  /** How many rows a failed check shows, and how many characters of each. */
  private static final int SAMPLE = 3;

  private static final int LONGEST_SAMPLE = 300;

  private static final String MEASURE = "_strandline_measure";
  private static final String IS_KEY = "_strandline_is_key";

  /** Where in {@link #counts} it stands how many rows can be merged. */
  private static final int MERGEABLE = 0;

  private static final int REJECTED = 1;
  private static final int CHOSEN = 2;
  private static final int DELETES = 3;

  /** Where the oldest version stands, and after it how many rows have none. */
  private static final int OLDEST = 4;

  /** How many columns of {@link #counts} come before the measures of the keys. */
  private static final int COUNTS = 6;

  /** What the executors keep. */
  private final KeptRows kept;

  /** The same, with their ranks. */
  private final Dataset<Row> frozen;

  private final MergeColumns columns;
  private final Row counts;
  private final List<KeptRows> rejectedBefore;
  private final long countedBefore;
  private final List<CheckFinding> failed;

  private FrozenRows(
      KeptRows kept,
      Dataset<Row> frozen,
      MergeColumns columns,
      Row counts,
      List<KeptRows> rejectedBefore,
      long countedBefore,
      List<CheckFinding> failed) {
    this.kept = kept;
    this.frozen = frozen;
    this.columns = columns;
    this.counts = counts;
    this.rejectedBefore = rejectedBefore;
    this.countedBefore = countedBefore;
    this.failed = failed;
  }

  /**
   * Computes rows, once.
   *
   * @param cleaned the rows, with the names that the table has
   * @param rejected rows that were rejected already
   * @param columns the columns of the merge
   * @param keys how rows find their stored row
   * @return the frozen rows
   */
  static FrozenRows of(
      Dataset<Row> cleaned, List<Dataset<Row>> rejected, MergeColumns columns, KeyMatch keys) {
    // Kept by the first look at them, which is for keys that stand twice.
    KeptRows kept =
        KeptRows.of(rawIfRejected(keys.normalized(cleaned).withColumn(REASON, keys.rejection())));

    Row byKey = countedByKey(kept.rows(), columns, keys);

    if (byKey.getLong(MERGEABLE) == byKey.getLong(CHOSEN)) {
      Dataset<Row> alone = kept.rows().withColumn(RANK, lit(1)).withColumns(filler(columns));
      return with(rejected, kept, alone, columns, byKey);
    }

    WindowSpec versions = Window.partitionBy(partition(columns)).orderBy(columns.newestFirst());
    KeptRows ranked =
        KeptRows.of(
            kept.rows()
                .withColumn(RANK, row_number().over(versions))
                .withColumns(filler(columns, versions)));
    Row counts = counted(ranked.rows(), columns, keys);
    kept.release();
    return with(rejected, ranked, ranked.rows(), columns, counts);
  }

  /**
   * Counts as if every key stood there once, where each is chosen: if more rows can be merged, some
   * stand there more often. Of the rows only keys and measures are moved, and none is sorted.
   */
  private static Row countedByKey(Dataset<Row> rows, MergeColumns columns, KeyMatch keys) {
    Column isMergeable = col(REASON).isNull();
    List<Column> measures = new ArrayList<>();
    measures.add(count(lit(1)));
    measures.addAll(measured(columns, isMergeable));
    measures.addAll(broken(rows, Cleaned.WARNED_COLUMN, isMergeable));
    List<Column> by = new ArrayList<>(columns.keys().stream().map(Columns::col).toList());
    by.add(isMergeable.as(IS_KEY));
    Dataset<Row> byKey =
        rows.groupBy(by.toArray(new Column[0]))
            .agg(
                measures.get(0).as(MEASURE),
                IntStream.range(1, measures.size())
                    .mapToObj(i -> measures.get(i).as(MEASURE + i))
                    .toArray(Column[]::new));
    Column isKey = col(IS_KEY);
    List<Column> all =
        new ArrayList<>(
            List.of(
                total(when(not(isKey), col(MEASURE))),
                count(when(isKey, 1)),
                total(col(MEASURE + 1)),
                min(col(MEASURE + 2)),
                total(col(MEASURE + 3))));
    all.addAll(keys.measures(isKey));
    IntStream.range(4, measures.size()).forEach(i -> all.add(total(col(MEASURE + i))));
    return byKey.agg(total(when(isKey, col(MEASURE))), all.toArray(new Column[0])).head();
  }

  private static Column total(Column counts) {
    return coalesce(sum(counts), lit(0L));
  }

  private static Row counted(Dataset<Row> ranked, MergeColumns columns, KeyMatch keys) {
    Column isMergeable = col(REASON).isNull();
    Column isChosen = isMergeable.and(col(RANK).equalTo(1));
    List<Column> more = new ArrayList<>();
    more.add(count(when(not(isMergeable), 1)));
    more.add(count(when(isChosen, 1)));
    more.addAll(measured(columns, isChosen));
    more.addAll(keys.measures(isChosen));
    more.addAll(broken(ranked, Cleaned.WARNED_COLUMN, isMergeable));
    return ranked.agg(count(when(isMergeable, 1)), more.toArray(new Column[0])).head();
  }

  /**
   * Counts deletes, and measures the oldest version by the column that counts most: that version,
   * and how many rows have none.
   */
  private static List<Column> measured(MergeColumns columns, Column isCounted) {
    return List.of(
        count(when(isCounted.and(columns.isDelete(Columns::col)), 1)),
        columns
            .measuredVersion()
            .map(
                name -> min(when(isCounted, Columns.encode(Columns.col(name), columns.type(name)))))
            .orElseGet(() -> lit(null).cast("bigint")),
        columns
            .measuredVersion()
            .map(name -> count(when(isCounted.and(Columns.col(name).isNull()), 1)))
            .orElseGet(() -> lit(0L)));
  }

  /** Keeps the raw row of rejected rows alone, before anything is shuffled or stored. */
  private static Dataset<Row> rawIfRejected(Dataset<Row> rows) {
    return Carried.has(rows, RAW)
        ? rows.withColumn(RAW, when(col(REASON).isNotNull(), col(RAW)))
        : rows;
  }

  /** Counts for each check the rows that do not pass it. */
  private static List<Column> broken(Dataset<Row> rows, String checks, Column isCounted) {
    return Carried.fields(rows, checks).stream()
        .map(check -> count(when(isCounted.and(col(checks).getField(check)), 1)))
        .toList();
  }

  /**
   * Computes rows, once, that nothing tells apart, so that all of them are chosen.
   *
   * @param cleaned the rows, with the names that the table has
   * @param rejected rows that were rejected already
   * @param columns the columns, without a key
   * @return the frozen rows
   */
  static FrozenRows unkeyed(
      Dataset<Row> cleaned, List<Dataset<Row>> rejected, MergeColumns columns) {
    KeptRows kept =
        KeptRows.of(
            cleaned
                .drop(RAW)
                .withColumn(REASON, lit(null).cast("string"))
                .withColumn(RANK, lit(1)));
    Dataset<Row> frozen = kept.rows();
    Column all = count(lit(1));
    List<Column> more = new ArrayList<>(List.of(lit(0L), all, lit(0L)));
    more.addAll(broken(frozen, Cleaned.WARNED_COLUMN, lit(true)));
    return with(
        rejected, kept, frozen, columns, frozen.agg(all, more.toArray(new Column[0])).head());
  }

  private static FrozenRows with(
      List<Dataset<Row>> rejected,
      KeptRows kept,
      Dataset<Row> frozen,
      MergeColumns columns,
      Row counts) {
    List<KeptRows> keptRejected = new ArrayList<>();
    List<CheckFinding> failed = new ArrayList<>();
    long countedBefore = 0;

    for (Dataset<Row> before : rejected) {
      KeptRows keptBefore = KeptRows.of(before);
      Dataset<Row> frozenBefore = keptBefore.rows();
      Row counted =
          frozenBefore
              .agg(
                  count(lit(1)),
                  broken(frozenBefore, Cleaned.FAILED_COLUMN, lit(true)).toArray(new Column[0]))
              .head();
      failed.addAll(
          findings(
              frozenBefore, Cleaned.FAILED_COLUMN, counted, check -> sample(frozenBefore, check)));
      keptRejected.add(keptBefore);
      countedBefore += counted.getLong(0);
    }

    return new FrozenRows(kept, frozen, columns, counts, keptRejected, countedBefore, failed);
  }

  /** Reads from the end of a row of counts what each check has found. */
  private static List<CheckFinding> findings(
      Dataset<Row> rows, String checks, Row counts, Function<String, List<String>> sample) {
    List<String> messages = Carried.fields(rows, checks);
    List<CheckFinding> findings = new ArrayList<>();

    for (int i = 0; i < messages.size(); i++) {
      long found = counts.getLong(counts.size() - messages.size() + i);

      if (found > 0) {
        findings.add(new CheckFinding(messages.get(i), found, sample.apply(messages.get(i))));
      }
    }

    return findings;
  }

  /** Returns a few rows that do not pass a check, as text. */
  private static List<String> sample(Dataset<Row> rejected, String check) {
    Column[] raw =
        Arrays.stream(rejected.columns())
            .filter(name -> !List.of(REASON, Cleaned.FAILED_COLUMN).contains(name))
            .map(Columns::col)
            .toArray(Column[]::new);
    return rejected
        .where(col(Cleaned.FAILED_COLUMN).getField(check))
        .limit(SAMPLE)
        .select(substring(to_json(struct(raw)), 1, LONGEST_SAMPLE))
        .collectAsList()
        .stream()
        .map(row -> row.getString(0))
        .toList();
  }

  /**
   * Finds for each version the newest one, itself or older, that has what a bare delete lacks; null
   * if the range has none.
   */
  private static Map<String, Column> filler(MergeColumns columns, WindowSpec versions) {
    if (columns.removal() != Removal.SOFT) {
      return Map.of();
    }

    return Map.of(
        FILLER,
        first(fillerItself(columns), true)
            .over(versions.rowsBetween(Window.currentRow(), Window.unboundedFollowing())));
  }

  /** Finds the same for rows that are the only versions of their keys. */
  private static Map<String, Column> filler(MergeColumns columns) {
    return columns.removal() == Removal.SOFT ? Map.of(FILLER, fillerItself(columns)) : Map.of();
  }

  private static Column fillerItself(MergeColumns columns) {
    Column version = struct(columns.names().stream().map(Columns::col).toArray(Column[]::new));
    return when(not(columns.isBare(Columns::col)), version);
  }

  /** Rows without a key are spread, since all of them in one place may be more than fit there. */
  private static Column[] partition(MergeColumns columns) {
    return Stream.concat(
            columns.keys().stream().map(Columns::col),
            Stream.of(when(col(REASON).isNotNull(), columns.hash())))
        .toArray(Column[]::new);
  }

  /** Returns how many rows can be merged. */
  long accepted() {
    return counts.getLong(MERGEABLE);
  }

  /** Returns how many rows were rejected, here or before. */
  long rejectedRows() {
    return counts.getLong(REJECTED) + countedBefore;
  }

  /** Returns how many keys there are, which is how many rows are chosen. */
  long winners() {
    return counts.getLong(CHOSEN);
  }

  /** Returns how many of the chosen rows are deletes. */
  long deletes() {
    return counts.getLong(DELETES);
  }

  /** Returns the rejected rows. */
  List<Dataset<Row>> rejected() {
    List<Dataset<Row>> rejected = new ArrayList<>();
    rejectedBefore.forEach(before -> rejected.add(before.rows().drop(Cleaned.FAILED_COLUMN)));

    if (counts.getLong(REJECTED) > 0) {
      Column isClean = Carried.has(frozen, RAW) ? col(RAW).isNull() : lit(true);
      rejected.add(
          frozen
              .filter(col(REASON).isNotNull())
              .drop(RANK, Deletion.MARK, FILLER, Patches.PATCH, Cleaned.WARNED_COLUMN)
              .withColumn(RejectedRows.ORIGIN_COLUMN, when(isClean, RejectedRows.BY_TARGET)));
    }

    return rejected;
  }

  /** Returns what checks found that only warn of a row. */
  List<CheckFinding> warned() {
    return findings(frozen, Cleaned.WARNED_COLUMN, counts, check -> List.of());
  }

  /** Returns what checks found that stop a run. */
  List<CheckFinding> failed() {
    return failed;
  }

  /** Returns all rows that can be merged, several of a key among them. */
  Dataset<Row> all() {
    return frozen.filter(col(REASON).isNull()).select(names());
  }

  /** Returns the newest row of every key, with the mark of deletes and what bare ones lack. */
  Dataset<Row> chosen() {
    return Carried.dropped(
        frozen.filter(col(REASON).isNull().and(col(RANK).equalTo(1))).drop(REASON, RANK));
  }

  /** Returns the chosen rows that are deletes. */
  Dataset<Row> deleted() {
    return chosen().filter(columns.isDelete(Columns::col)).select(names());
  }

  /** Returns what a table holds that is given these rows and nothing else. */
  Dataset<Row> alone() {
    return switch (columns.removal()) {
      case NONE -> chosen().select(names());
      case HARD -> chosen().filter(not(columns.isDelete(Columns::col))).select(names());
      case SOFT ->
          chosen()
              .select(
                  columns.names().stream()
                      .map(name -> filled(name, Columns::col, lit(true), lit(null)).as(name))
                      .toArray(Column[]::new));
    };
  }

  /**
   * Returns a column of a chosen row, or of what fills a bare delete.
   *
   * @param row the columns of the row
   * @param isFilled whether the range's own filler is taken, where there is one
   * @param otherwise the value where it is not
   */
  Column filled(String name, Function<String, Column> row, Column isFilled, Column otherwise) {
    if (columns.removal() != Removal.SOFT || !columns.data().contains(name)) {
      return row.apply(name);
    }

    Column filler = row.apply(FILLER);
    return when(not(columns.isBare(row)), row.apply(name))
        .when(filler.isNotNull().and(isFilled), filler.getField(name))
        .otherwise(otherwise);
  }

  /** Returns no rows, of the same columns. */
  Dataset<Row> none() {
    return frozen.filter(lit(false)).select(names());
  }

  /** Returns in which literal bounds the stored rows of these keys lie. */
  Column bounds(KeyMatch keys, Function<String, Column> stored) {
    return keys.bounds(counts, COUNTS, stored);
  }

  /** Finds in which clumps the keys lie, if they do; needs a job. */
  KeyClumps clumps(KeyMatch keys) {
    return keys.ends(counts, COUNTS)
        .map(ends -> KeyClumps.of(chosen(), columns.keys().get(0), ends))
        .orElseGet(KeyClumps::none);
  }

  /** Returns how many keys there can be between the bounds of these; infinite if nobody knows. */
  double places(KeyMatch keys) {
    return keys.places(counts, COUNTS);
  }

  /**
   * Returns what every row of a table fulfills that one of these rows may be older than, or as new
   * as, in literals, so that Delta leaves files unread that have none.
   *
   * @param stored the columns of the table
   */
  Column mayBeNewer(Function<String, Column> stored) {
    return oldest()
        .map(oldest -> stored.apply(columns.measuredVersion().orElseThrow()).geq(oldest))
        .orElse(lit(true));
  }

  /**
   * Tells whether each of these rows is newer than all of a table, as far as its files' statistics
   * tell; no row is read.
   */
  boolean areNewerThanAll(Dataset<Row> table) {
    return oldest().isPresent() && table.filter(mayBeNewer(Columns::col)).inputFiles().length == 0;
  }

  /** Returns the oldest version as a literal; empty if it is not known. */
  private Optional<Column> oldest() {
    return counts.getLong(OLDEST + 1) > 0
        ? Optional.empty()
        : columns
            .measuredVersion()
            .flatMap(
                name ->
                    Columns.decode(counts, OLDEST, columns.type(name))
                        .map(value -> Columns.literal(value).cast(columns.type(name))));
  }

  /** Lets the engine forget the rows. */
  void release() {
    kept.release();
    rejectedBefore.forEach(KeptRows::release);
  }

  private Column[] names() {
    return columns.names().stream().map(Columns::col).toArray(Column[]::new);
  }
}
