package io.strandline.spark.target;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;

/** A session's rule on whether upper and lower case make different column names. */
enum ColumnNames {
  CASE_SENSITIVE {
    @Override
    boolean areSame(String one, String other) {
      return one.equals(other);
    }
  },
  CASE_INSENSITIVE {
    @Override
    boolean areSame(String one, String other) {
      return one.equalsIgnoreCase(other);
    }
  };

  static ColumnNames of(SparkSession spark) {
    return Boolean.parseBoolean(spark.conf().get("spark.sql.caseSensitive"))
        ? CASE_SENSITIVE
        : CASE_INSENSITIVE;
  }

  /** Tells whether two names are of one column. */
  abstract boolean areSame(String one, String other);

  /** Finds a column by name. */
  Optional<StructField> find(String name, StructType columns) {
    return Arrays.stream(columns.fields()).filter(field -> areSame(field.name(), name)).findFirst();
  }

  /** Returns the names that stand for a column that another name stands for already. */
  List<String> repeated(StructType columns) {
    List<String> seen = new ArrayList<>();
    List<String> repeated = new ArrayList<>();

    for (String name : columns.fieldNames()) {
      if (seen.stream().anyMatch(other -> areSame(other, name))) {
        repeated.add(name);
      } else {
        seen.add(name);
      }
    }

    return repeated;
  }
}
