package io.strandline.spark.target;

import static io.strandline.spark.internal.Columns.col;
import static org.apache.spark.sql.functions.coalesce;
import static org.apache.spark.sql.functions.count;
import static org.apache.spark.sql.functions.from_json;
import static org.apache.spark.sql.functions.lit;
import static org.apache.spark.sql.functions.max;
import static org.apache.spark.sql.functions.struct;
import static org.apache.spark.sql.functions.when;

import io.strandline.clean.Cleaned;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.source.Reading;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.RunSession;
import io.strandline.spark.target.DeltaQuarantine.Form;
import io.strandline.spark.target.DeltaQuarantine.State;
import io.strandline.target.Redrive;
import io.strandline.watermark.LoadName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** Entries of a Delta quarantine, as they stood in one version of its table. */
final class DeltaRedrive implements Redrive<Dataset<Row>> {
  private static final String KEPT = "kept";
  private static final String TAKEN = "taken";
  private static final String ROW = "_strandline_row";
  private static final String AGAIN = "again";
  private static final String EDITED = "edited";
  private static final String ROWS = "rows";

  private final DeltaRef table;
  private final LoadName load;
  private final Supplier<Instant> now;
  private final String id;
  private final List<Group> groups;
  private final Optional<Dataset<Row>> entries;

  /**
   * Entries whose rows have the same columns.
   *
   * @param state what they are in
   * @param redrive the redrive that has begun with them; empty if none has
   * @param columns the columns, as in CREATE TABLE
   * @param form how they are kept
   * @param rows how many they are
   */
  private record Group(State state, String redrive, String columns, Form form, long rows) {
    boolean isBegun() {
      return state == State.BEGUN;
    }
  }

  /**
   * Holds what was taken up.
   *
   * @param entries the entries; empty if there is no table
   */
  private DeltaRedrive(
      DeltaRef table,
      LoadName load,
      Supplier<Instant> now,
      String id,
      List<Group> groups,
      Optional<Dataset<Row>> entries) {
    this.table = table;
    this.load = load;
    this.now = now;
    this.id = id;
    this.groups = groups;
    this.entries = entries;
  }

  /** Takes up what waits of a load; of a redrive that has begun, that alone. */
  static DeltaRedrive of(DeltaRef table, LoadName load, Supplier<Instant> now) {
    Optional<DeltaSnapshot> found = table.findSnapshot();

    if (found.isEmpty()) {
      return new DeltaRedrive(table, load, now, newId(), List.of(), Optional.empty());
    }

    // What a source has refused no cleaner can mend, but a person can.
    Dataset<Row> held =
        table
            .at(found.get().version())
            .where(col(DeltaQuarantine.LOAD).equalTo(load.value()))
            .withColumn(
                EDITED, col(DeltaQuarantine.HASH).notEqual(DeltaQuarantine.hash(load.value())))
            .where(
                isIn(State.BEGUN)
                    .or(
                        isIn(State.WAITING)
                            .and(
                                col(DeltaQuarantine.FORM)
                                    .notEqual(Form.REFUSED.name())
                                    .or(col(EDITED)))));
    List<Group> groups =
        held
            .groupBy(
                col(DeltaQuarantine.STATE),
                col(DeltaQuarantine.REDRIVE),
                col(DeltaQuarantine.RAW_COLUMNS),
                col(DeltaQuarantine.FORM))
            .agg(count(lit(1)).as(ROWS))
            .collectAsList()
            .stream()
            .map(DeltaRedrive::group)
            .toList();
    Optional<String> begun =
        groups.stream().filter(Group::isBegun).map(Group::redrive).sorted().findFirst();
    Predicate<Group> isTaken =
        group ->
            begun.map(redrive -> group.isBegun() && group.redrive().equals(redrive)).orElse(true);
    return new DeltaRedrive(
        table,
        load,
        now,
        begun.orElseGet(DeltaRedrive::newId),
        groups.stream().filter(isTaken).toList(),
        Optional.of(
            begun
                .map(
                    redrive ->
                        held.where(
                            isIn(State.BEGUN).and(col(DeltaQuarantine.REDRIVE).equalTo(redrive))))
                .orElse(held)));
  }

  private static String newId() {
    return UUID.randomUUID().toString();
  }

  private static Column isIn(State state) {
    return col(DeltaQuarantine.STATE).equalTo(state.name());
  }

  private static Group group(Row row) {
    return new Group(
        State.valueOf(row.getString(0)),
        row.isNullAt(1) ? "" : row.getString(1),
        row.getString(2),
        Form.valueOf(row.getString(3)),
        row.getLong(4));
  }

  @Override
  public String id() {
    return id;
  }

  @Override
  public boolean isBegun() {
    return groups.stream().anyMatch(Group::isBegun);
  }

  @Override
  public long rows() {
    return groups.stream().mapToLong(Group::rows).sum();
  }

  @Override
  public List<Dataset<Row>> raw() {
    return given(group -> group.form() != Form.CLEANED);
  }

  @Override
  public List<Dataset<Row>> cleaned() {
    return given(group -> group.form() == Form.CLEANED);
  }

  private List<Dataset<Row>> given(Predicate<Group> condition) {
    return groups.stream().filter(condition).map(this::given).toList();
  }

  /** Reads the rows of a group; one that does not fit its columns fails whoever looks at it. */
  private Dataset<Row> given(Group group) {
    StructType columns = StructType.fromDDL(group.columns());
    Map<String, String> options = new HashMap<>(DeltaQuarantine.EXACT);
    options.put("mode", "FAILFAST");
    List<Column> given = new ArrayList<>();

    for (StructField field : columns.fields()) {
      Column value = col(ROW).getField(field.name());
      given.add(
          (readable(field.dataType()).equals(field.dataType())
                  ? value
                  : value.cast(field.dataType()))
              .as(field.name()));
    }

    given.add(struct(col(DeltaQuarantine.HASH).as(ENTRY_COLUMN)).as(Cleaned.RAW_COLUMN));
    return entries
        .orElseThrow()
        .where(
            col(DeltaQuarantine.RAW_COLUMNS)
                .equalTo(group.columns())
                .and(col(DeltaQuarantine.FORM).equalTo(group.form().name())))
        .select(
            col(DeltaQuarantine.HASH),
            from_json(col(DeltaQuarantine.RAW), (StructType) readable(columns), options).as(ROW))
        .select(given.toArray(Column[]::new));
  }

  /** JSON has text alone as the key of a map. */
  private static DataType readable(DataType type) {
    if (type instanceof StructType struct) {
      StructType readable = new StructType();

      for (StructField field : struct.fields()) {
        readable = readable.add(field.name(), readable(field.dataType()));
      }

      return readable;
    }

    if (type instanceof ArrayType array) {
      return DataTypes.createArrayType(readable(array.elementType()));
    }

    return type instanceof MapType map
        ? DataTypes.createMapType(DataTypes.StringType, readable(map.valueType()))
        : type;
  }

  @Override
  public Dataset<Row> union(List<Dataset<Row>> parts) {
    return parts.stream().reduce((some, more) -> some.unionByName(more, true)).orElseThrow();
  }

  @Override
  public void begin(List<Dataset<Row>> rejected) {
    if (rows() == 0) {
      return;
    }

    Dataset<Row> marks = marks(rejected);

    if (!rejected.isEmpty() && isAsItWas(rejected, marks)) {
      return;
    }

    long marked = Conflicts.outlasting("mark entries of " + table.name(), () -> mark(marks));

    if (marked != rows()) {
      throw new Problem(
          ProblemKind.TARGET_CONFLICT,
          "redrive the entries of " + table.name(),
          (rows() - marked) + " of " + rows() + " have changed since they were taken up",
          "Redrive them again.");
    }
  }

  /** Puts beside every entry the reason for which it was rejected again. */
  private Dataset<Row> marks(List<Dataset<Row>> rejected) {
    Dataset<Row> taken =
        entries
            .orElseThrow()
            .select(
                col(DeltaQuarantine.HASH), col(DeltaQuarantine.RAW), col(DeltaQuarantine.REASON));

    if (rejected.isEmpty()) {
      return taken.withColumn(AGAIN, lit(null).cast(DataTypes.StringType));
    }

    Dataset<Row> again =
        again(rejected).groupBy(col(ENTRY_COLUMN)).agg(max(col(Reading.REASON_COLUMN)).as(AGAIN));
    return taken
        .join(again, col(DeltaQuarantine.HASH).equalTo(col(ENTRY_COLUMN)), "left")
        .drop(ENTRY_COLUMN);
  }

  private static Dataset<Row> again(List<Dataset<Row>> rejected) {
    return rejected.stream()
        .map(
            rows ->
                rows.select(
                    entry(rows).as(ENTRY_COLUMN),
                    coalesce(col(Reading.REASON_COLUMN), lit("")).as(Reading.REASON_COLUMN)))
        .reduce(Dataset::union)
        .orElseThrow();
  }

  private static Column entry(Dataset<Row> rows) {
    if (Carried.has(rows, ENTRY_COLUMN)) {
      return col(ENTRY_COLUMN);
    }

    return Carried.fields(rows, Cleaned.RAW_COLUMN).contains(ENTRY_COLUMN)
        ? col(Cleaned.RAW_COLUMN).getField(ENTRY_COLUMN)
        : lit(null).cast(DataTypes.StringType);
  }

  /** Tells whether every entry was rejected again, for the reason that it has. */
  private boolean isAsItWas(List<Dataset<Row>> rejected, Dataset<Row> marks) {
    if (!again(rejected).where(col(ENTRY_COLUMN).isNull()).isEmpty()) {
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          "tell which entries of " + table.name() + " were rejected again",
          "the cleaner does not keep the column '" + Cleaned.RAW_COLUMN + "'",
          "Keep it, or correct the rows by hand until none is rejected.");
    }

    return !isBegun()
        && marks
            .where(col(AGAIN).isNull().or(col(AGAIN).notEqual(col(DeltaQuarantine.REASON))))
            .isEmpty();
  }

  private long mark(Dataset<Row> marks) {
    Column isAsTaken =
        Columns.col(KEPT, DeltaQuarantine.LOAD)
            .equalTo(load.value())
            .and(
                Columns.col(KEPT, DeltaQuarantine.HASH)
                    .equalTo(Columns.col(TAKEN, DeltaQuarantine.HASH)))
            .and(
                Columns.col(KEPT, DeltaQuarantine.RAW)
                    .eqNullSafe(Columns.col(TAKEN, DeltaQuarantine.RAW)))
            .and(
                Columns.col(KEPT, DeltaQuarantine.STATE)
                    .equalTo((isBegun() ? State.BEGUN : State.WAITING).name()));
    Column again = Columns.col(TAKEN, AGAIN);
    Row counts =
        table
            .in(RunSession.of(table.spark()))
            .deltaTable()
            .as(KEPT)
            .merge(
                marks.as(TAKEN),
                isBegun()
                    ? isAsTaken.and(Columns.col(KEPT, DeltaQuarantine.REDRIVE).equalTo(id))
                    : isAsTaken)
            .whenMatched()
            .update(
                Map.of(
                    DeltaQuarantine.STATE,
                    when(again.isNull(), State.BEGUN.name()).otherwise(State.WAITING.name()),
                    DeltaQuarantine.REDRIVE,
                    when(again.isNull(), id),
                    DeltaQuarantine.REASON,
                    coalesce(again, Columns.col(KEPT, DeltaQuarantine.REASON))))
            .execute()
            .head();
    return counts.<Long>getAs("num_updated_rows");
  }

  @Override
  public void finish(String attempt) {
    Column isMine =
        col(DeltaQuarantine.LOAD)
            .equalTo(load.value())
            .and(isIn(State.BEGUN))
            .and(col(DeltaQuarantine.REDRIVE).equalTo(id));

    // An UPDATE that finds nothing would commit all the same.
    if (entries.isEmpty() || table.newest().where(isMine).isEmpty()) {
      return;
    }

    Conflicts.outlasting(
        "mark entries of " + table.name() + " as redriven",
        () ->
            table
                .in(RunSession.of(table.spark()))
                .deltaTable()
                .update(
                    isMine,
                    Map.of(
                        DeltaQuarantine.STATE, lit(State.REDRIVEN.name()),
                        DeltaQuarantine.REDRIVEN_AT, lit(now.get()),
                        DeltaQuarantine.REDRIVEN_BY, lit(attempt))));
  }
}
