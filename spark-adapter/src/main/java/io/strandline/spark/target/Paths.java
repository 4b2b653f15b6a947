package io.strandline.spark.target;

import static java.util.stream.Collectors.joining;

import io.strandline.spark.internal.Columns;
import java.util.List;
import java.util.stream.Stream;

/** The names that lead to a column or, through structs, arrays and maps, to a field. */
final class Paths {
  /** Leads into an array. */
  static final String ELEMENT = "element";

  /** Leads to the keys of a map. */
  static final String KEY = "key";

  /** Leads to the values of a map. */
  static final String VALUE = "value";

  private Paths() {}

  /** Goes a step further. */
  static List<String> to(List<String> path, String name) {
    return Stream.concat(path.stream(), Stream.of(name)).toList();
  }

  /** Returns a path quoted for SQL. */
  static String quoted(List<String> path) {
    return path.stream().map(Columns::quoted).collect(joining("."));
  }
}
