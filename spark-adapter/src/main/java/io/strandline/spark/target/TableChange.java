package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import io.strandline.spark.internal.Columns;
import io.strandline.spark.internal.Conflicts;
import io.strandline.spark.internal.DeltaRef;
import io.strandline.spark.internal.DeltaSnapshot;
import io.strandline.spark.internal.RunSession;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.spark.sql.AnalysisException;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/**
 * What a table lacks of the columns that are written into it: columns, fields, and width.
 *
 * <p>It is found out anew from the table each time, so that a change which was made before, by a
 * run that died or by somebody else, is not made twice. Rows are not touched.
 */
final class TableChange {
  private static final String WIDENING = "delta.enableTypeWidening";

  private final StructType wanted;

  /** Makes the change that leads to some columns. */
  TableChange(StructType wanted) {
    this.wanted = wanted;
  }

  /**
   * What is lacking.
   *
   * @param added definitions of columns, as they follow ADD COLUMNS
   * @param widened columns and their new types, as they follow ALTER COLUMN
   */
  record Lack(List<String> added, List<String> widened) {
    boolean isNothing() {
      return added.isEmpty() && widened.isEmpty();
    }

    /** Tells whether anything but what a history keeps for itself is lacking. */
    boolean isOfRows() {
      String own = Columns.quoted(HistoryNames.EVENTS);
      return Stream.concat(added.stream(), widened.stream())
          .anyMatch(column -> !column.startsWith(own));
    }
  }

  /** Returns what a table of certain columns lacks. */
  Lack lack(StructType there) {
    Lack lack = new Lack(new ArrayList<>(), new ArrayList<>());
    fields(wanted, there, List.of(), lack);
    return lack;
  }

  private static void fields(StructType wanted, StructType there, List<String> path, Lack lack) {
    for (StructField field : wanted.fields()) {
      List<String> here = Paths.to(path, field.name());
      // A table never has names that differ in case alone.
      Optional<StructField> found = ColumnNames.CASE_INSENSITIVE.find(field.name(), there);

      if (found.isPresent()) {
        type(field.dataType(), found.get().dataType(), here, lack);
      } else {
        lack.added().add(Paths.quoted(here) + " " + field.dataType().asNullable().sql());
      }
    }
  }

  private static void type(DataType wanted, DataType there, List<String> path, Lack lack) {
    if (wanted instanceof StructType a && there instanceof StructType b) {
      fields(a, b, path, lack);
    } else if (wanted instanceof ArrayType a && there instanceof ArrayType b) {
      type(a.elementType(), b.elementType(), Paths.to(path, Paths.ELEMENT), lack);
    } else if (wanted instanceof MapType a && there instanceof MapType b) {
      type(a.valueType(), b.valueType(), Paths.to(path, Paths.VALUE), lack);
    } else if (Shape.isWider(wanted, there)) {
      lack.widened().add(Paths.quoted(path) + " TYPE " + wanted.sql());
    }
  }

  /**
   * Changes a table, unless it lacks nothing.
   *
   * @param table the table, which exists
   * @param found what it was found to be
   * @throws Problem if it cannot be changed so
   */
  void make(DeltaRef table, DeltaSnapshot found) {
    if (lack(found.schema()).isNothing()) {
      return;
    }

    String task = "change the columns of " + table.name();

    try {
      Conflicts.oneAtATime(table, () -> Conflicts.outlasting(task, () -> make(table)));
    } catch (Problem e) {
      // Somebody else may have made the same change meanwhile.
      if (lack(table.snapshot().schema()).isNothing()) {
        return;
      }

      throw e.getCause() instanceof AnalysisException refusal
          ? new Problem(
              ProblemKind.SCHEMA_MISMATCH,
              task,
              firstLine(refusal.getSimpleMessage()),
              "Change them by hand, or the rows in the cleaner.",
              refusal)
          : e;
    }
  }

  private static String firstLine(String message) {
    return message.lines().findFirst().orElse("").replaceAll("\\.$", "");
  }

  private void make(DeltaRef table) {
    DeltaSnapshot newest = table.snapshot();
    Lack lack = lack(newest.schema());
    SparkSession session = RunSession.of(table.spark());
    String alter = "ALTER TABLE " + table.sqlIdentifier() + " ";

    if (!lack.widened().isEmpty() && !"true".equals(newest.properties().get(WIDENING))) {
      session.sql(alter + "SET TBLPROPERTIES ('" + WIDENING + "' = 'true')");
    }

    if (!lack.added().isEmpty()) {
      session.sql(alter + lack.added().stream().collect(joining(", ", "ADD COLUMNS (", ")")));
    }

    for (String column : lack.widened()) {
      session.sql(alter + "ALTER COLUMN " + column);
    }
  }
}
