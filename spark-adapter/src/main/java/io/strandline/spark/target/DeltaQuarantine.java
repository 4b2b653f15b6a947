package io.strandline.spark.target;

import static java.util.Objects.requireNonNull;
import static java.util.stream.Collectors.joining;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.sha2;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.to_json;
import static org.apache.spark.sql.functions.when;

import io.strandline.clean.Cleaned;
import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.NewTable;
import io.strandline.spark.internal.RunSession;
import io.strandline.target.RedrivableQuarantine;
import io.strandline.target.Redrive;
import io.strandline.target.RejectedRows;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * Keeps rows that cannot be used, with the reason, in a Delta table, and gives them back when their
 * cause is mended.
 *
 * <p>The table is made when the first row needs it, with these columns:
 *
 * <ul>
 *   <li>{@code load_name STRING}, {@code run_number BIGINT}, {@code source STRING}, {@code
 *       source_range STRING}: the run that met the row first, and the table or folder that it read
 *   <li>{@code reason STRING}: why it cannot be used, as of when it was tried last
 *   <li>{@code raw_row STRING}: the row as it came, as JSON: every column, nulls too, timestamps in
 *       UTC to the microsecond, decimals with all their digits, binary as base64
 *   <li>{@code raw_columns STRING}: the columns of that row and their types, as in {@code CREATE
 *       TABLE}
 *   <li>{@code row_form STRING}: {@code RAW}, as a cleaner was given it; {@code CLEANED}, as the
 *       target was given it, since nobody had kept the raw row; {@code REFUSED}, as the source
 *       refused to give it to the cleaner
 *   <li>{@code content_hash STRING}: SHA-256 of load, reason and raw row as they came, by which a
 *       row is known
 *   <li>{@code quarantined_at TIMESTAMP}: when it was put here
 *   <li>{@code state STRING}: {@code WAITING}; {@code BEGUN}, while a redrive is about to merge it;
 *       {@code REDRIVEN}. A person who sets it to anything else takes the row out of every redrive
 *   <li>{@code redrive_id STRING}, {@code redriven_at TIMESTAMP}, {@code redriven_by STRING}: the
 *       redrive that took it up, when it was done, and the attempt that did it, as in the load log
 * </ul>
 *
 * <p>A row is told by load, reason and raw row: seen again it is not stored again, and rows that
 * are equal in all three are one entry. A put is one commit, or none if it holds nothing new; puts
 * at once do not store a row twice.
 *
 * <p>A redrive takes up rows that wait. A person corrects a row with an {@code UPDATE} of {@code
 * raw_row}, and of {@code raw_columns} if it gets others; without that, a row that is {@code
 * REFUSED} stays. Immutable and safe for use by several threads.
 */
public final class DeltaQuarantine implements RedrivableQuarantine<Dataset<Row>> {
  private static final String KEPT = "kept";
  private static final String PUT = "put";
  static final String LOAD = "load_name";
  private static final String NUMBER = "run_number";
  private static final String SOURCE = "source";
  private static final String RANGE = "source_range";
  static final String REASON = "reason";
  static final String RAW = "raw_row";
  static final String RAW_COLUMNS = "raw_columns";
  static final String HASH = "content_hash";
  private static final String AT = "quarantined_at";
  private static final int SHA_BITS = 256;

  static final String FORM = "row_form";
  static final String STATE = "state";
  static final String REDRIVE = "redrive_id";
  static final String REDRIVEN_AT = "redriven_at";
  static final String REDRIVEN_BY = "redriven_by";

  /** How a row is kept. */
  enum Form {
    RAW,
    CLEANED,
    REFUSED
  }

  /** What has become of an entry. */
  enum State {
    WAITING,
    BEGUN,
    REDRIVEN
  }

  private static final StructType COLUMNS =
      new StructType()
          .add(LOAD, DataTypes.StringType)
          .add(NUMBER, DataTypes.LongType)
          .add(SOURCE, DataTypes.StringType)
          .add(RANGE, DataTypes.StringType)
          .add(REASON, DataTypes.StringType)
          .add(RAW, DataTypes.StringType)
          .add(RAW_COLUMNS, DataTypes.StringType)
          .add(FORM, DataTypes.StringType)
          .add(HASH, DataTypes.StringType)
          .add(AT, DataTypes.TimestampType)
          .add(STATE, DataTypes.StringType)
          .add(REDRIVE, DataTypes.StringType)
          .add(REDRIVEN_AT, DataTypes.TimestampType)
          .add(REDRIVEN_BY, DataTypes.StringType);

  /** Columns of a rejected row that are none of its own. */
  private static final Set<String> RESERVED =
      Set.of(
          Reading.REASON_COLUMN,
          RejectedRows.ORIGIN_COLUMN,
          Cleaned.RAW_COLUMN,
          Cleaned.WARNED_COLUMN,
          Cleaned.FAILED_COLUMN);

  /** Partitioned, so that loads that share a quarantine do not conflict. */
  private static final NewTable TABLE = new NewTable(COLUMNS, List.of(LOAD), Map.of());

  /** The text of a row must depend on no setting of a session, since rows are told by it. */
  static final Map<String, String> EXACT =
      Map.of(
          "ignoreNullFields", "false",
          "timeZone", "UTC",
          "timestampFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
          "timestampNTZFormat", "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
          "dateFormat", "yyyy-MM-dd");

  private final DeltaRef table;
  private final Clock clock;

  private DeltaQuarantine(DeltaRef table, Clock clock) {
    this.table = table;
    this.clock = clock;
  }

  /**
   * Makes a quarantine in a table of the session's catalogs.
   *
   * @param spark the session
   * @param table the table's name; the table need not exist
   * @return the quarantine
   */
  public static DeltaQuarantine forName(SparkSession spark, String table) {
    return in(DeltaRef.forName(spark, table));
  }

  /**
   * Makes a quarantine in a folder.
   *
   * @param spark the session
   * @param path the folder; it need not exist
   * @return the quarantine
   */
  public static DeltaQuarantine forPath(SparkSession spark, String path) {
    return in(DeltaRef.forPath(spark, path));
  }

  static DeltaQuarantine in(DeltaRef table) {
    return new DeltaQuarantine(table, Clock.systemUTC());
  }

  /**
   * Takes the time of entries from a clock.
   *
   * @param newClock the clock; that of the system in UTC unless said otherwise
   * @return a quarantine with that clock
   */
  public DeltaQuarantine timedBy(Clock newClock) {
    return new DeltaQuarantine(table, requireNonNull(newClock));
  }

  @Override
  public String name() {
    return table.name();
  }

  @Override
  public long put(RejectedRows<Dataset<Row>> rejected) {
    Optional<Dataset<Row>> entries =
        rejected.rows().stream().map(rows -> entries(rows, rejected)).reduce(Dataset::union);

    // A table without rows would only puzzle whoever finds it.
    if (entries.isEmpty() || (!table.exists() && entries.get().isEmpty())) {
      return 0;
    }

    TABLE.in(table);
    Dataset<Row> once = entries.get().dropDuplicates(HASH);
    return Conflicts.outlasting(
        "put rejected rows into " + table.name(), () -> merge(once, rejected));
  }

  /**
   * Puts rows that are not there yet; what is there is read inside the commit itself, so that of
   * two puts at once the later one finds what the earlier one stored.
   */
  private long merge(Dataset<Row> entries, RejectedRows<Dataset<Row>> rejected) {
    Map<String, Column> columns = new HashMap<>();

    for (String column : COLUMNS.fieldNames()) {
      columns.put(column, Columns.col(PUT, column));
    }

    Row counts =
        table
            .in(RunSession.of(table.spark()))
            .deltaTable()
            .as(KEPT)
            .merge(
                entries.as(PUT),
                Columns.col(KEPT, LOAD)
                    .equalTo(rejected.load().value())
                    .and(Columns.col(KEPT, HASH).equalTo(Columns.col(PUT, HASH))))
            .whenNotMatched()
            .insert(columns)
            .execute()
            .head();
    return counts.<Long>getAs("num_inserted_rows");
  }

  private Dataset<Row> entries(Dataset<Row> rows, RejectedRows<Dataset<Row>> rejected) {
    StructType own =
        new StructType(
            Arrays.stream(rows.schema().fields())
                .filter(field -> !RESERVED.contains(field.name()))
                .toArray(StructField[]::new));
    Column[] columns = Arrays.stream(own.fieldNames()).map(Columns::col).toArray(Column[]::new);
    Column json = columns.length == 0 ? lit("{}") : to_json(struct(columns), EXACT);
    Column ddl = lit(ddl(own));

    if (Carried.has(rows, Cleaned.RAW_COLUMN)) {
      Column raw = Columns.col(Cleaned.RAW_COLUMN);
      json = when(raw.isNotNull(), to_json(raw, EXACT)).otherwise(json);
      ddl =
          when(raw.isNotNull(), ddl(rows.schema().apply(Cleaned.RAW_COLUMN).dataType()))
              .otherwise(ddl);
    }

    Dataset<Row> told =
        rows.select(
            coalesce(Columns.col(Reading.REASON_COLUMN), lit("")).as(REASON),
            json.as(RAW),
            ddl.as(RAW_COLUMNS),
            form(rows).as(FORM));
    String load = rejected.load().value();
    return told.select(
        lit(load).as(LOAD),
        lit(rejected.number()).as(NUMBER),
        lit(rejected.source()).as(SOURCE),
        lit(text(rejected.ranges())).as(RANGE),
        Columns.col(REASON),
        Columns.col(RAW),
        Columns.col(RAW_COLUMNS),
        Columns.col(FORM),
        hash(load).as(HASH),
        lit(now()).as(AT),
        lit(State.WAITING.name()).as(STATE),
        lit(null).cast(DataTypes.StringType).as(REDRIVE),
        lit(null).cast(DataTypes.TimestampType).as(REDRIVEN_AT),
        lit(null).cast(DataTypes.StringType).as(REDRIVEN_BY));
  }

  private static Column form(Dataset<Row> rows) {
    if (!Carried.has(rows, RejectedRows.ORIGIN_COLUMN)) {
      return lit(Form.RAW.name());
    }

    Column origin = Columns.col(RejectedRows.ORIGIN_COLUMN);
    return when(origin.equalTo(RejectedRows.BY_SOURCE), Form.REFUSED.name())
        .when(origin.equalTo(RejectedRows.BY_TARGET), Form.CLEANED.name())
        .otherwise(Form.RAW.name());
  }

  /** Returns columns as in {@code CREATE TABLE}, without what the engine remembers of them. */
  private static String ddl(DataType columns) {
    StructType bare = new StructType();

    for (StructField field : ((StructType) columns).asNullable().fields()) {
      bare = bare.add(field.name(), field.dataType());
    }

    return bare.toDDL();
  }

  /** Returns what an entry is known by, if it is as it came. */
  static Column hash(String load) {
    return sha2(
        to_json(struct(lit(load).as(LOAD), Columns.col(REASON), Columns.col(RAW)))
            .cast(DataTypes.BinaryType),
        SHA_BITS);
  }

  Instant now() {
    return clock.instant().truncatedTo(ChronoUnit.MICROS);
  }

  @Override
  public Redrive<Dataset<Row>> redrive(LoadName load) {
    return DeltaRedrive.of(table, load, this::now);
  }

  private static String text(List<StreamRange> ranges) {
    return ranges.stream()
        .map(
            range ->
                (range.stream().equals(StreamName.only()) ? "" : range.stream() + " ")
                    + range.range())
        .collect(joining(", "));
  }

  /** Returns the name of the table. */
  @Override
  public String toString() {
    return table.name();
  }
}
