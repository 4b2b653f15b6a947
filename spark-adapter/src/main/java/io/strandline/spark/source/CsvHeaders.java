package io.strandline.spark.source;

import com.univocity.parsers.csv.CsvParser;
import io.strandline.problem.Problem;
import io.strandline.problem.ProblemKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.Charset;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.CompressionCodecFactory;
import org.apache.spark.sql.catalyst.csv.CSVOptions;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Reads the first record of files, which names their columns: each file may have its own order.
 *
 * <p>Records are told by the parser and the options that Spark reads the rest with.
 */
final class CsvHeaders {
  private static final String BYTE_ORDER_MARK = "\ufeff";

  private final Configuration configuration;
  private final CSVOptions options;

  CsvHeaders(Configuration configuration, Map<String, String> options) {
    this.configuration = configuration;
    this.options =
        new CSVOptions(
            scala.collection.immutable.Map$.MODULE$.from(CollectionConverters.asScala(options)),
            false,
            "UTC");
  }

  /**
   * Groups files by their headers.
   *
   * @param files the files
   * @return the files by the names in their first record; files without a record are left out
   */
  Map<List<String>, List<FoundFile>> group(List<FoundFile> files) {
    // Opening a file takes its time where storage is far away.
    Map<String, List<String>> headers =
        files.parallelStream()
            .collect(Collectors.toConcurrentMap(FoundFile::path, file -> header(file.path())));
    Map<List<String>, List<FoundFile>> groups = new LinkedHashMap<>();

    for (FoundFile file : files) {
      List<String> header = headers.getOrDefault(file.path(), List.of());

      if (!header.isEmpty()) {
        groups.computeIfAbsent(header, names -> new java.util.ArrayList<>()).add(file);
      }
    }

    return groups;
  }

  private List<String> header(String path) {
    CsvParser parser = new CsvParser(options.asParserSettings());

    try (InputStream stream = open(new Path(path))) {
      parser.beginParsing(stream, Charset.forName(options.charset()));
      String[] names = parser.parseNext();
      parser.stopParsing();
      return names == null ? List.of() : Arrays.stream(names).map(CsvHeaders::name).toList();
    } catch (IOException e) {
      throw new Problem(
          ProblemKind.FAILED, "read the header of " + path, String.valueOf(e.getMessage()), "", e);
    }
  }

  private InputStream open(Path path) throws IOException {
    InputStream stream = path.getFileSystem(configuration).open(path);
    CompressionCodec codec = new CompressionCodecFactory(configuration).getCodec(path);
    return codec == null ? stream : codec.createInputStream(stream);
  }

  private static String name(@org.jspecify.annotations.Nullable String text) {
    String name = text == null ? "" : text;
    return (name.startsWith(BYTE_ORDER_MARK) ? name.substring(1) : name).strip();
  }

  /**
   * Finds where columns stand in a header.
   *
   * @param header the names in their order
   * @param isCaseSensitive whether names that differ in case alone are different
   * @return the places by name; a name that stands several times has several
   */
  static Map<String, List<Integer>> places(List<String> header, boolean isCaseSensitive) {
    Map<String, List<Integer>> places =
        isCaseSensitive ? new TreeMap<>() : new TreeMap<>(String.CASE_INSENSITIVE_ORDER);

    for (int i = 0; i < header.size(); i++) {
      places.computeIfAbsent(header.get(i), name -> new java.util.ArrayList<>()).add(i);
    }

    return places;
  }
}
