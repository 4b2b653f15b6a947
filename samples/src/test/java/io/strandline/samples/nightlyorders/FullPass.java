package io.strandline.samples.nightlyorders;

import static java.util.Comparator.comparing;
import static java.util.Comparator.naturalOrder;
import static java.util.Comparator.nullsFirst;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What silver must hold, found without the library and without Spark: every line of every file is
 * read at once, and of each key the newest is kept.
 */
final class FullPass {
  private static final DateTimeFormatter WALL_CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");

  private static final Comparator<Line> OLDEST_FIRST =
      comparing(Line::invoiceDate)
          .thenComparing(Line::file)
          .thenComparing(Line::quantity)
          .thenComparing(Line::unitPrice)
          .thenComparing(Line::description, nullsFirst(naturalOrder()));

  private FullPass() {}

  /** One line of a file, cleaned. */
  record Line(
      int file,
      String invoiceNo,
      String stockCode,
      @Nullable String description,
      int quantity,
      LocalDateTime invoiceDate,
      BigDecimal unitPrice,
      @Nullable String customerId,
      @Nullable String country) {
    List<@Nullable Object> values() {
      List<@Nullable Object> values = new ArrayList<>();
      values.add(invoiceNo);
      values.add(stockCode);
      values.add(description);
      values.add(quantity);
      values.add(invoiceDate);
      values.add(unitPrice);
      values.add(customerId);
      values.add(country);
      values.add(invoiceNo.startsWith("C"));
      return values;
    }
  }

  /** Returns the values that silver must hold, by key. */
  static Map<String, List<@Nullable Object>> over(List<Path> files) {
    Map<String, Line> newest = new TreeMap<>();

    for (Line line : lines(files)) {
      if (!line.invoiceNo().isEmpty() && !line.stockCode().isEmpty()) {
        newest.merge(
            line.invoiceNo() + " " + line.stockCode(),
            line,
            (one, other) -> OLDEST_FIRST.compare(one, other) >= 0 ? one : other);
      }
    }

    Map<String, List<@Nullable Object>> values = new LinkedHashMap<>();
    newest.forEach((key, line) -> values.put(key, line.values()));
    return values;
  }

  /** Returns the lines of all files, cleaned. */
  static List<Line> lines(List<Path> files) {
    List<Line> lines = new ArrayList<>();

    for (int file = 0; file < files.size(); file++) {
      for (List<String> fields : read(files.get(file))) {
        lines.add(
            new Line(
                file,
                fields.get(0).strip().toUpperCase(Locale.ROOT),
                fields.get(1).strip().toUpperCase(Locale.ROOT),
                emptyToNull(fields.get(2).strip()),
                Integer.parseInt(fields.get(3)),
                LocalDateTime.parse(fields.get(4), WALL_CLOCK),
                new BigDecimal(fields.get(5)).setScale(2),
                emptyToNull(fields.get(6).replaceFirst("\\.0$", "")),
                emptyToNull(fields.get(7).strip())));
      }
    }

    return lines;
  }

  private static @Nullable String emptyToNull(String text) {
    return text.isEmpty() ? null : text;
  }

  private static List<List<String>> read(Path file) {
    try {
      return Files.readAllLines(file).stream().skip(1).map(FullPass::fields).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> fields(String line) {
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean isQuoted = false;

    for (int i = 0; i < line.length(); i++) {
      char c = line.charAt(i);

      if (c == '"' && isQuoted && i + 1 < line.length() && line.charAt(i + 1) == '"') {
        field.append(c);
        i++;
      } else if (c == '"') {
        isQuoted = !isQuoted;
      } else if (c == ',' && !isQuoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }

    fields.add(field.toString());
    return fields;
  }
}
