package io.strandline.samples;

import static java.util.stream.Collectors.joining;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.functions;

/** Lays out a few rows as a table of text. */
public final class TextTable {
  private static final String GAP = "  ";

  private TextTable() {}

  /**
   * Lays out rows below the names of their columns.
   *
   * @param rows the rows, few enough to be held in memory
   * @return the lines
   */
  public static List<String> of(Dataset<Row> rows) {
    String[] names = rows.columns();
    Dataset<Row> asText =
        rows.select(
            Arrays.stream(names)
                .map(name -> functions.coalesce(rows.col(name).cast("string"), functions.lit("")))
                .toArray(org.apache.spark.sql.Column[]::new));
    List<List<String>> lines = new ArrayList<>(List.of(List.of(names)));

    for (Row row : asText.collectAsList()) {
      lines.add(IntStream.range(0, names.length).mapToObj(row::getString).toList());
    }

    return of(lines);
  }

  /**
   * Lays out lines of which each has the same number of cells.
   *
   * @param lines the lines, the names of the columns first
   * @return the lines, as text
   */
  public static List<String> of(List<List<String>> lines) {
    int columns = lines.get(0).size();
    int[] widths =
        IntStream.range(0, columns)
            .map(i -> lines.stream().mapToInt(line -> line.get(i).length()).max().orElse(0))
            .toArray();
    Stream<String> laidOut =
        lines.stream()
            .map(
                line ->
                    IntStream.range(0, columns)
                        .mapToObj(i -> line.get(i) + " ".repeat(widths[i] - line.get(i).length()))
                        .collect(joining(GAP))
                        .stripTrailing());
    return laidOut.toList();
  }
}
