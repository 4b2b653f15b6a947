package io.strandline.spark.source;

import static io.strandline.testkit.spark.DatasetAssert.assertThat;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.source.Cursor;
import io.strandline.source.Reading;
import io.strandline.source.SourcePlan;
import io.strandline.testkit.fake.Rows;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import io.strandline.watermark.Watermark;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.zip.GZIPOutputStream;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class CsvFilesTest {
  private static final String COLUMNS =
      "id BIGINT, name STRING, amount DECIMAL(9, 2), ts TIMESTAMP";
  private static final Instant MONDAY = Instant.parse("2026-06-01T08:00:00Z");
  private static final Instant TUESDAY = Instant.parse("2026-06-02T08:00:00Z");

  private Lakehouse tables;
  private Path folder;
  private final Follower follower = new Follower();

  @BeforeEach
  void makeFolder(Lakehouse lakehouse) throws IOException {
    tables = lakehouse;
    folder = Files.createDirectories(Path.of(lakehouse.path("landing")));
  }

  private Path land(String name, String content) throws IOException {
    return land(name, content.getBytes(UTF_8));
  }

  private Path land(String name, byte[] content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, content);
  }

  private static byte[] zipped(String content) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    try (GZIPOutputStream zip = new GZIPOutputStream(bytes)) {
      zip.write(content.getBytes(UTF_8));
    }

    return bytes.toByteArray();
  }

  private FileSource.Files files() {
    return FileSource.csv(tables.spark(), folder.toString()).settledFor(Duration.ZERO);
  }

  private Reading<Dataset<Row>> read(FileSource source) {
    return follower.planned(source).read();
  }

  @Test
  void read_ofFilesOfEveryShape_matchesColumnsByNameInEach() throws IOException {
    land("a.csv", "\ufeffid,name,amount,ts\r\n1,Müller,1.50,2026-06-01T08:00:00Z\r\n");
    land(
        "b.csv",
        "ts , AMOUNT,\"name\",extra,id\n2026-06-02T08:00:00Z,.5,\"two\nlines, "
            + "\"\"quoted\"\"\",x,2");
    land("deep/er/c [1]+%.csv", "\ufeff\"id\",\"name\",\"amount\",\"ts\"\n\"3\",\"\",\"\",\n");
    land("d.csv.gz", zipped("name,id,ts,amount\nzipped,4,2026-06-01 10:00:00+02:00,-7\n"));
    land("empty.csv", "");
    land("header-only.csv", "id,name,amount,ts\n");
    land(".hidden.csv", "id,name,amount,ts\n9,no,9,2026-06-01T08:00:00Z\n");
    land("_unfinished/e.csv", "id,name,amount,ts\n9,no,9,2026-06-01T08:00:00Z\n");
    land("f.csv._COPYING_", "id,name,amount,ts\n9,no,9,2026-06-01T08:00:00Z\n");

    Reading<Dataset<Row>> reading =
        read(files().columns(COLUMNS).pathAs("file").newFilesBy("etl_files"));

    assertThat(reading.rows().drop("file"))
        .hasRows(
            Rows.columns("id", "name", "amount", "ts")
                .row(1L, "Müller", new BigDecimal("1.50"), MONDAY)
                .row(2L, "two\nlines, \"quoted\"", new BigDecimal("0.50"), TUESDAY)
                .row(3L, null, null, null)
                .row(4L, "zipped", new BigDecimal("-7.00"), MONDAY));
    assertThat(Lakehouse.collect(reading.rows().where("id = 3").select("file")).stream())
        .singleElement()
        .satisfies(row -> assertThat(row.get("file")).asString().endsWith("/deep/er/c [1]+%.csv"));
    assertThat(Follower.rejected(reading)).isEqualTo(Rows.none());
    assertThat(reading.counts().get().rows()).isEqualTo(4);
  }

  /** A sweep must not take rows for gone whose lines are only broken. */
  @Test
  void readAll_ofLinesThatDoNotParse_tellsWhatCanBeTold() throws IOException {
    land(
        "orders.csv",
        """
        id,name,amount,ts
        1,good,5,2026-06-01T08:00:00Z
        2,short
        none,no number,7,2026-06-01T08:00:00Z
        """);

    FileSource orders = files().columns(COLUMNS).newerBy("ts");

    assertThat(orders.readAll().select("id", "name"))
        .hasRows(
            Rows.columns("id", "name").row(1L, "good").row(2L, "short").row(null, "no number"));
  }

  @Test
  void read_ofLinesThatDoNotParse_rejectsThemWithTextFileAndReason() throws IOException {
    Path file =
        land(
            "orders.csv",
            """
            id,name,amount,ts
            1,good,5,2026-06-01T08:00:00Z
            2,short
            3,long,7,2026-06-01T08:00:00Z,EXTRA
            4,"not a
            number",many,2026-06-01T08:00:00Z
            5,no time,1,yesterday
            6,,,
            """);

    Reading<Dataset<Row>> reading = read(files().columns(COLUMNS).newFilesBy("etl_files"));

    assertThat(Follower.ids(reading.rows())).containsExactly(1L, 6L);
    assertThat(reading.counts().get().rows()).isEqualTo(6);
    assertThat(
            Follower.rejected(reading).stream()
                .map(row -> row.get("_line") + " | " + row.get(Reading.REASON_COLUMN)))
        .containsExactlyInAnyOrder(
            "2,short | the line does not have the 4 fields of its file",
            "3,long,7,2026-06-01T08:00:00Z,EXTRA | the line does not have the 4 fields of its file",
            "4,\"not a\nnumber\",many,2026-06-01T08:00:00Z | column 'amount' holds 'many', which is"
                + " no DECIMAL(9,2)",
            "5,no time,1,yesterday | column 'ts' holds 'yesterday', which is no TIMESTAMP");
    assertThat(Follower.rejected(reading).stream())
        .allSatisfy(row -> assertThat(row.get("_file")).asString().endsWith(file.toUri().getPath()))
        .anySatisfy(
            row -> {
              assertThat(row.get("id")).isEqualTo("4");
              assertThat(row.get("amount")).isEqualTo("many");
            });
  }

  @Test
  void read_withoutDeclaredColumns_givesTextOfAllHeaders() throws IOException {
    land("a.csv", "id;name\n01;\"a;b\"\n");
    land("b.csv", "city;id\nKöln;02\n".getBytes(ISO_8859_1));

    Reading<Dataset<Row>> reading =
        read(files().option("sep", ";").option("encoding", "ISO-8859-1").newFilesBy("etl_files"));

    assertThat(reading.rows())
        .hasRows(Rows.columns("id", "name", "city").row("01", "a;b", null).row("02", null, "Köln"));
  }

  @Test
  void read_withoutAHeader_takesColumnsByPlaceAndFormatsAsDeclared() throws IOException {
    land("a.csv", "1\t01.06.2026 08:00 +0000\n2\tbad\n");

    Reading<Dataset<Row>> reading =
        read(
            files()
                .option("header", "false")
                .option("sep", "\t")
                .option("timestampFormat", "dd.MM.yyyy HH:mm Z")
                .columns("id BIGINT, ts TIMESTAMP")
                .newFilesBy("etl_files"));

    assertThat(reading.rows()).hasRows(Rows.columns("id", "ts").row(1L, MONDAY));
    assertThat(Follower.rejected(reading).stream())
        .singleElement()
        .satisfies(
            row -> assertThat(row.get(Reading.REASON_COLUMN)).isEqualTo("the line does not parse"));
  }

  @Test
  void plan_byAColumn_readsNewerRowsAndRejectsBrokenLinesEveryTime() throws IOException {
    FileSource orders = files().columns(COLUMNS).newerBy(Cursor.on("ts").exclusive());
    land("a.csv", "id,name,amount,ts\n1,a,1,2026-06-01T08:00:00Z\nbroken\n");

    SourcePlan.Planned<Dataset<Row>> first = follower.planned(orders);
    assertThat(first.explanation())
        .isEqualTo(
            "Reads 1 row of "
                + folder
                + " with ts in (the start, 2026-06-01T08:00:00Z] and moves the watermark from the"
                + " start to 2026-06-01T08:00:00Z. 1 line does not parse and goes to the"
                + " quarantine.");
    assertThat(first.read().counts().get().rows()).isEqualTo(2);
    follower.finish(first);
    assertThat(follower.watermark()).isEqualTo(Watermark.at(MONDAY));

    assertThat(follower.plan(orders))
        .isEqualTo(
            new SourcePlan.NothingNew<>(
                folder + " has the same 1 file that the last run read completely", 0));
    SourcePlan.Planned<Dataset<Row>> onlyTheBrokenLine =
        Follower.at(Watermark.at(MONDAY)).planned(orders);
    assertThat(onlyTheBrokenLine.moves()).isFalse();
    assertThat(onlyTheBrokenLine.read().rows().isEmpty()).isTrue();
    assertThat(Follower.rejected(onlyTheBrokenLine.read()).size()).isEqualTo(1);

    land("b.csv", "ts,id,name,amount\n2026-06-02T08:00:00Z,2,b,2\n");
    assertThat(follower.run(orders)).containsExactly(2L);
  }

  @Test
  void read_ofHeadersThatDoNotFit_namesFileAndColumn() throws IOException {
    Path twice = land("a.csv", "id,name,Name\n1,a,b\n");
    FileSource.Files files = files().columns("id BIGINT, name STRING");

    assertThatThrownBy(() -> read(files.newFilesBy("etl_files")))
        .isInstanceOf(Problem.class)
        .hasMessageStartingWith("Cannot read file:" + twice)
        .hasMessageContaining(": its header names column 'name' 2 times. Correct the header");

    Files.delete(twice);
    land("b.csv", "id,nmae\n1,a\n");
    assertThatThrownBy(() -> read(files.newFilesBy("etl_files")))
        .hasMessageContaining(": its header has no column 'name'; it names id, nmae. Correct");
    assertThat(read(files.missingColumnsAreNull().newFilesBy("etl_files")).rows())
        .hasRows(Rows.columns("id", "name").row(1L, null));
  }
}
