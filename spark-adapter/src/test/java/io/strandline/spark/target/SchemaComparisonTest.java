package io.strandline.spark.target;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.strandline.spark.target.SchemaPolicy.MissingColumns;
import io.strandline.spark.target.SchemaPolicy.NewColumns;
import io.strandline.spark.target.SchemaPolicy.WiderTypes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.spark.sql.types.ArrayType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.MapType;
import org.apache.spark.sql.types.MetadataBuilder;
import org.apache.spark.sql.types.StructField;
import org.apache.spark.sql.types.StructType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class SchemaComparisonTest {
  private static final SchemaPolicy TOLERANT =
      SchemaPolicy.strict()
          .newColumns(NewColumns.ADD)
          .missingColumns(MissingColumns.KEEP)
          .widerTypes(WiderTypes.WIDEN);

  /** Types that Delta widens from left to right. */
  private static final List<List<DataType>> LADDERS =
      List.of(
          List.of(
              DataTypes.ByteType, DataTypes.ShortType, DataTypes.IntegerType, DataTypes.LongType),
          List.of(DataTypes.FloatType, DataTypes.DoubleType),
          List.of(DataTypes.DateType, DataTypes.TimestampNTZType),
          List.of(DataTypes.createDecimalType(10, 2), DataTypes.createDecimalType(14, 4)),
          List.of(DataTypes.StringType));

  @Test
  void of_anotherOrderAndCase_isNoDifference() {
    SchemaComparison comparison =
        compare(
            "TS timestamp, address struct<Zip:int, city:string>, ID bigint",
            "id bigint, address struct<city:string, zip:int>, ts timestamp",
            SchemaPolicy.strict());

    assertThat(fits(comparison)).isTrue();
    assertThat(comparison.schema().toDDL())
        .isEqualTo("ts TIMESTAMP,address STRUCT<city: STRING, zip: INT>,id BIGINT");
    assertThat(comparison.drift()).isEqualTo(Drift.none());
  }

  @Test
  void of_everyDifference_underTheStrictPolicy_isToldWithACure() {
    SchemaComparison comparison =
        compare(
            "id string, n bigint, s smallint, email string, box struct<a:int, b:int>",
            "id bigint, n int, s int, kept string, box struct<a:int, c:int>",
            SchemaPolicy.strict());

    assertThat(comparison.differences(name -> false))
        .isEqualTo(
            "column 'id' is bigint in the table and string after cleaning; column 'n' is int in"
                + " the table and bigint after cleaning; column 's' is int in the table and"
                + " smallint after cleaning; column 'box.c' (int) is in the table and missing after"
                + " cleaning; column 'kept' (string) is in the table and missing after cleaning;"
                + " column 'email' (string) is there after cleaning and not in the table; column"
                + " 'box.b' (int) is there after cleaning and not in the table (did you mean"
                + " 'box.c'?)");
    assertThat(comparison.cure(name -> false))
        .isEqualTo(
            "Cast 'id', 'n', 's' in the cleaner. Select 'box.c', 'kept' in the cleaner, as null if"
                + " there is no value. Drop 'email', 'box.b' in the cleaner, or add it to the table"
                + " with ALTER TABLE. Or say in onSchemaDrift(..) of the target what becomes of"
                + " such a column.");
  }

  @Test
  void drift_underTheTolerantPolicy_namesWhatIsDone() {
    SchemaComparison comparison =
        compare(
            "id bigint, n bigint, s smallint, email string, items array<struct<price:int, sku:string>>",
            "id bigint, n int, s int, kept string, items array<struct<sku:string, qty:int>>",
            TOLERANT);

    assertThat(fits(comparison)).isTrue();
    assertThat(comparison.schema().toDDL())
        .isEqualTo(
            "id BIGINT,n BIGINT,s INT,email STRING,items ARRAY<STRUCT<sku: STRING, qty: INT, price:"
                + " INT>>,kept STRING");
    assertThat(comparison.drift().changes())
        .containsExactly(
            "Column 'n' was widened from int to bigint.",
            "Column 'email' (string) was added to the table.",
            "Column 'items.element.price' (int) was added to the table.");
    assertThat(comparison.drift().rest())
        .containsExactly(
            "Column 's' was smallint after cleaning, and was cast to int.",
            "Column 'items.element.qty' (int) was missing after cleaning.",
            "Column 'kept' (string) was missing after cleaning.");
    assertThat(comparison.drift().absent().paths())
        .isEqualTo(Set.of(List.of("kept"), List.of("items", "element", "qty")));
    assertThat(
            lack(
                comparison,
                "id bigint, n int, s int, kept string, items array<struct<sku:string, qty:int>>"))
        .isEqualTo(
            new TableChange.Lack(
                List.of("`email` STRING", "`items`.`element`.`price` INT"),
                List.of("`n` TYPE BIGINT")));
  }

  @Test
  void drift_ofIgnoredColumns_leavesThemOut() {
    SchemaPolicy policy = SchemaPolicy.strict().newColumns(NewColumns.IGNORE);
    SchemaComparison comparison =
        compare(
            "id bigint, x int, box struct<a:int, b:int>", "id bigint, box struct<a:int>", policy);

    assertThat(fits(comparison)).isTrue();
    assertThat(comparison.schema().toDDL()).isEqualTo("id BIGINT,box STRUCT<a: INT>");
    assertThat(comparison.drift().changesTable()).isFalse();
    assertThat(comparison.drift().rest())
        .containsExactly(
            "Column 'x' (int) is not in the table, and was left out.",
            "Column 'box.b' (int) is not in the table, and was left out.");
    assertThat(comparison.fits("x"::equals)).isFalse();
    assertThat(comparison.differences("x"::equals))
        .isEqualTo(
            "column 'x' (int) is there after cleaning and not in the table, and the target needs"
                + " it");
  }

  @ParameterizedTest
  @MethodSource("refusals")
  void of_aDifferenceThatNoPolicyAllows_isRefused(String rows, String table, String difference) {
    SchemaComparison comparison = compare(rows, table, TOLERANT);

    assertThat(fits(comparison)).isFalse();
    assertThat(comparison.differences(name -> false)).isEqualTo(difference);
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        arguments("n string", "n int", "column 'n' is int in the table and string after cleaning"),
        arguments("n int", "n string", "column 'n' is string in the table and int after cleaning"),
        arguments(
            "n double", "n bigint", "column 'n' is bigint in the table and double after cleaning"),
        arguments(
            "n decimal(12,0)",
            "n decimal(10,2)",
            "column 'n' is decimal(10,2) in the table and decimal(12,0) after cleaning"),
        arguments(
            "n array<int>",
            "n int",
            "column 'n' is int in the table and array<int> after cleaning"),
        arguments(
            "n map<struct<a:int,b:int>,int>",
            "n map<struct<a:int>,int>",
            "column 'n.key' is struct<a: int> in the table and struct<a: int, b: int> after"
                + " cleaning"),
        arguments(
            "n int, `a b` int",
            "n int",
            "column 'a b' (int) has a name that only a table with column mapping can have"));
  }

  @Test
  void of_columnsThatTheTableFillsOrNeeds_takesTheirOwnWay() {
    StructType table =
        new StructType()
            .add("id", DataTypes.LongType)
            .add(noted("made", "delta.generationExpression"))
            .add(noted("number", "delta.identity.start"))
            .add(noted("usual", "CURRENT_DEFAULT"))
            .add("needed", DataTypes.StringType, false);

    SchemaComparison comparison =
        SchemaComparison.of(
            StructType.fromDDL("id bigint"), table, ColumnNames.CASE_INSENSITIVE, TOLERANT);

    assertThat(comparison.schema().fieldNames()).containsExactly("id", "needed");
    assertThat(comparison.differences(name -> false))
        .isEqualTo(
            "column 'needed' (string) must have a value in the table and is missing after"
                + " cleaning");
  }

  @Test
  void of_namesThatDifferInCase_followsTheSession() {
    StructType rows = StructType.fromDDL("ID bigint");
    StructType table = StructType.fromDDL("id bigint");

    SchemaComparison comparison =
        SchemaComparison.of(rows, table, ColumnNames.CASE_SENSITIVE, TOLERANT);

    assertThat(comparison.differences(name -> false))
        .isEqualTo(
            "column 'ID' (bigint) has a name that differs only in case from one in the table");
  }

  /**
   * Of whatever rows are told from whatever table: the table that comes of it lacks nothing, and is
   * not changed again; what rows bring and the table has are in it, under the table's names.
   */
  @Test
  void of_randomSchemas_leadToATableThatIsNotChangedAgain() {
    for (int seed = 0; seed < 2_000; seed++) {
      Random random = new Random(seed);
      StructType table = fields(random, 3, "");
      StructType rows = drifted(random, table);

      SchemaComparison first =
          SchemaComparison.of(rows, table, ColumnNames.CASE_INSENSITIVE, TOLERANT);
      SchemaComparison again =
          SchemaComparison.of(rows, first.schema(), ColumnNames.CASE_INSENSITIVE, TOLERANT);
      SchemaComparison itself =
          SchemaComparison.of(table, first.schema(), ColumnNames.CASE_INSENSITIVE, TOLERANT);

      String replay = "seed " + seed + ": " + rows.toDDL() + " into " + table.toDDL();
      assertThat(fits(first)).as(replay).isTrue();
      assertThat(again.drift().changes()).as(replay).isEmpty();
      assertThat(again.drift().absent()).as(replay).isEqualTo(first.drift().absent());
      assertThat(itself.drift().changes()).as(replay).isEmpty();
      assertThat(new TableChange(first.schema()).lack(first.schema()).isNothing())
          .as(replay)
          .isTrue();
      assertThat(new TableChange(first.schema()).lack(table).isNothing())
          .as(replay)
          .isEqualTo(!first.drift().changesTable());
    }
  }

  private static StructType fields(Random random, int depth, String prefix) {
    StructType fields = new StructType();
    int count = 1 + random.nextInt(4);

    for (int i = 0; i < count; i++) {
      fields = fields.add(prefix + "c" + i, type(random, depth), true);
    }

    return fields;
  }

  private static DataType type(Random random, int depth) {
    return switch (depth == 0 ? 0 : random.nextInt(6)) {
      case 1 -> new ArrayType(type(random, depth - 1), true);
      case 2 -> new MapType(DataTypes.StringType, type(random, depth - 1), true);
      case 3 -> fields(random, depth - 1, "f");
      default -> {
        List<DataType> ladder = LADDERS.get(random.nextInt(LADDERS.size()));
        yield ladder.get(random.nextInt(ladder.size()));
      }
    };
  }

  /** Drops, adds, widens, narrows, shuffles, and writes names in another case. */
  private static StructType drifted(Random random, StructType table) {
    List<StructField> fields = new ArrayList<>();

    for (StructField field : table.fields()) {
      if (random.nextInt(5) > 0) {
        String name = random.nextBoolean() ? field.name() : field.name().toUpperCase(Locale.ROOT);
        fields.add(DataTypes.createStructField(name, drifted(random, field.dataType()), true));
      }
    }

    if (fields.isEmpty() || random.nextInt(3) == 0) {
      fields.add(DataTypes.createStructField("new", type(random, 1), true));
    }

    Collections.shuffle(fields, random);
    return new StructType(fields.toArray(StructField[]::new));
  }

  private static DataType drifted(Random random, DataType type) {
    if (type instanceof StructType struct) {
      return drifted(random, struct);
    }

    if (type instanceof ArrayType array) {
      return new ArrayType(drifted(random, array.elementType()), true);
    }

    if (type instanceof MapType map) {
      return new MapType(map.keyType(), drifted(random, map.valueType()), true);
    }

    List<DataType> ladder =
        LADDERS.stream().filter(types -> types.contains(type)).findFirst().orElseThrow();
    return ladder.get(random.nextInt(ladder.size()));
  }

  private static SchemaComparison compare(String rows, String table, SchemaPolicy policy) {
    return SchemaComparison.of(
        StructType.fromDDL(rows), StructType.fromDDL(table), ColumnNames.CASE_INSENSITIVE, policy);
  }

  private static TableChange.Lack lack(SchemaComparison comparison, String table) {
    return new TableChange(comparison.schema()).lack(StructType.fromDDL(table));
  }

  private static boolean fits(SchemaComparison comparison) {
    Predicate<String> none = name -> false;
    return comparison.fits(none);
  }

  private static StructField noted(String name, String note) {
    return new StructField(
        name, DataTypes.LongType, true, new MetadataBuilder().putString(note, "1").build());
  }
}
