package io.strandline.spark.target;

import static java.util.Objects.requireNonNull;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.target.Quarantine;
import io.strandline.target.Receipt;
import io.strandline.target.StageRequest;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.TableSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.jspecify.annotations.Nullable;

/**
 * The table of a target, which exists or is created with a layout: what every target on Delta
 * knows, however it takes rows in. Immutable.
 *
 * @param table the table
 * @param layout how to create the table; null if it must exist
 * @param onDrift what becomes of rows whose columns are not those of the table
 */
record TargetRef(DeltaRef table, @Nullable TableLayout layout, SchemaPolicy onDrift) {
  private static final String QUARANTINE = "_quarantine";

  static TargetRef existing(DeltaRef table) {
    return new TargetRef(table, null, SchemaPolicy.strict());
  }

  TargetRef createdIfMissing(TableLayout newLayout) {
    return new TargetRef(table, newLayout, onDrift);
  }

  TargetRef onSchemaDrift(SchemaPolicy policy) {
    return new TargetRef(table, layout, requireNonNull(policy, "policy"));
  }

  String name() {
    return table.name();
  }

  Quarantine<Dataset<Row>> quarantine() {
    return DeltaQuarantine.in(table.beside(QUARANTINE));
  }

  /** Returns what the table is; empty if it is missing and shall be created. */
  Optional<DeltaSnapshot> find() {
    Optional<DeltaSnapshot> found = table.findSnapshot();

    if (found.isEmpty() && layout == null) {
      Problem missing = table.missing("merge rows into " + table.name());
      throw new Problem(
          ProblemKind.BAD_CONFIGURATION,
          missing.task(),
          missing.reason(),
          "Create it, or call createdIfMissing() on the target.");
    }

    return found;
  }

  /** Tells what the table's log knows of a load, without a Spark job. */
  TargetStanding standing(LoadIdentity identity, TableSnapshot lastSeen) {
    Optional<DeltaSnapshot> found = find();

    if (found.isEmpty()) {
      return TargetStanding.withoutReceipt(TableSnapshot.unknown());
    }

    DeltaSnapshot newest = found.get();
    Commits commits = Commits.of(table.spark(), newest);
    long number = newest.transaction(identity.toString());
    TargetStanding standing =
        number == 0
            ? TargetStanding.withoutReceipt(newest.asTableSnapshot())
            : TargetStanding.ofNumber(
                number, newest.asTableSnapshot(), () -> receipt(commits, identity, number));
    return standing
        .holdingRowsIf(newest::hasFiles)
        .disturbedBy(disturbances(commits, newest, lastSeen));
  }

  private static Optional<Receipt> receipt(Commits commits, LoadIdentity identity, long number) {
    return commits
        .newestWith(other -> other.number() == number && other.identity().equals(identity))
        .flatMap(Commits.Commit::receipt);
  }

  private static List<String> disturbances(
      Commits commits, DeltaSnapshot newest, TableSnapshot lastSeen) {
    if (!lastSeen.isKnown()) {
      return List.of();
    }

    if (newest.version() < lastSeen.version() && newest.tableId().equals(lastSeen.tableId())) {
      return List.of(
          "its history went back from version "
              + lastSeen.version()
              + " to version "
              + newest.version());
    }

    return commits.disturbancesAfter(lastSeen.version());
  }

  /** Returns how to create the table if it is missing; null if it is there. */
  @Nullable TableCreation creation(
      Optional<DeltaSnapshot> found, ColumnResolution resolution, MergeColumns columns) {
    TableLayout missing = found.isEmpty() ? layout : null;
    return missing == null
        ? null
        : new TableCreation(table, columns, resolution.layout(missing, columns.schema()));
  }

  /** Returns how to find the declared columns among the rows of a request. */
  ColumnResolution resolution(StageRequest<Dataset<Row>> request, MergeDeclaration declaration) {
    return new ColumnResolution(
        table.name(), ColumnNames.of(request.accepted().sparkSession()), declaration, onDrift);
  }

  /**
   * Finds the declared columns among rows.
   *
   * @param marked the rows, with deletes marked
   * @param found what the table is; empty if it is missing
   * @param watermarkColumns the source's watermark columns
   */
  static MergeColumns columns(
      ColumnResolution resolution,
      Dataset<Row> marked,
      Optional<DeltaSnapshot> found,
      List<String> watermarkColumns) {
    return resolution.columns(
        Deletion.unmarked(marked).schema(), found.map(DeltaSnapshot::schema), watermarkColumns);
  }

  /** Lists the columns that a call names. */
  static List<String> listed(String call, String column, String... more) {
    List<String> columns = new ArrayList<>(List.of(column));

    for (String name : more) {
      if (columns.contains(name)) {
        throw new IllegalArgumentException(
            "Cannot call " + call + "(..) with '" + name + "' twice.");
      }

      columns.add(name);
    }

    if (columns.stream().anyMatch(String::isBlank)) {
      throw new IllegalArgumentException("Cannot call " + call + "(..) with a blank name.");
    }

    return columns;
  }
}
