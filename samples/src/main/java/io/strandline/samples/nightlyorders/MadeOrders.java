package io.strandline.samples.nightlyorders;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/**
 * Three days of a shop's orders, as messy as real ones and always the same.
 *
 * <p>Every day has lines that stand twice, lines of one invoice that contradict each other, stock
 * codes in lower case, descriptions with trailing blanks, customers that are missing or written as
 * {@code 17850.0}, free goods, cancellations, and a line without a stock code. The later days also
 * correct lines of the day before, cancel some, and bring others once more as they were.
 */
final class MadeOrders {
  private static final String HEADER =
      "InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country";
  private static final DateTimeFormatter WALL_CLOCK =
      DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss");
  private static final LocalDate MONDAY = LocalDate.of(2026, 3, 2);
  private static final int DAYS = 3;
  private static final int INVOICES_A_DAY = 60;
  private static final int FIRST_INVOICE = 600_001;
  private static final int AFTERTHOUGHTS = 8;

  private static final List<Product> PRODUCTS =
      List.of(
          new Product("21730", "GLASS STAR FROSTED LANTERN", "4.25"),
          new Product("22086", "PAPER CHAIN KIT ", "2.95"),
          new Product("22752", "\"DRAWERS, SET OF 7 \"\"BABUSHKA\"\"\"", "7.65"),
          new Product("22960", "JAM MAKING SET WITH JARS", "4.25"),
          new Product("37444A", "YELLOW BREAKFAST CUP ", "2.95"),
          new Product("71053", "WHITE METAL LANTERN", "3.39"),
          new Product("84029G", "KNITTED HOT WATER BOTTLE", "3.75"),
          new Product("84406B", "CREAM COAT HANGER", "2.75"),
          new Product("85123A", "WHITE HANGING T-LIGHT HOLDER", "2.55"),
          new Product("POST", "POSTAGE", "18.00"));

  private final Random random = new Random(17_850);
  private List<Line> yesterday = List.of();

  /** Lines that a later one has corrected, as they were before. */
  private List<Line> corrected = List.of();

  private MadeOrders() {}

  /**
   * Writes a file for each day.
   *
   * @param folder the folder to write into; made if it is missing
   */
  static void writeInto(Path folder) {
    try {
      Files.createDirectories(folder);
      MadeOrders orders = new MadeOrders();

      for (int i = 0; i < DAYS; i++) {
        LocalDate day = MONDAY.plusDays(i);
        List<String> text = new ArrayList<>(List.of(HEADER));
        orders.day(day, i).forEach(line -> text.add(line.csv()));
        Files.write(folder.resolve(day + ".csv"), text, StandardCharsets.UTF_8);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private List<Line> day(LocalDate day, int dayNumber) {
    List<Line> today = new ArrayList<>();

    for (int i = 0; i < INVOICES_A_DAY; i++) {
      String invoice = Integer.toString(FIRST_INVOICE + dayNumber * INVOICES_A_DAY + i);
      invoice(invoice, day.atTime(8, 0).plusMinutes(9L * i), today);
    }

    List<Line> landed = new ArrayList<>(today);
    landed.add(today.get(0).withStockCode("  "));
    landed.addAll(afterthoughts(day.atTime(20, 0)));
    yesterday = today;
    return landed;
  }

  private void invoice(String number, LocalDateTime at, List<Line> lines) {
    String customer = random.nextInt(4) == 0 ? "" : (17_000 + random.nextInt(900)) + ".0";
    String country = random.nextInt(8) == 0 ? "France" : "United Kingdom";
    int first = random.nextInt(PRODUCTS.size());
    int products = 1 + random.nextInt(5);

    for (int i = 0; i < products; i++) {
      Product product = PRODUCTS.get((first + i) % PRODUCTS.size());
      String price = random.nextInt(25) == 0 ? "0.0" : product.price();
      Line line =
          new Line(
              number,
              random.nextInt(12) == 0 ? product.code().toLowerCase(Locale.ROOT) : product.code(),
              product.description(),
              1 + random.nextInt(24),
              at,
              price,
              customer,
              country);
      lines.add(line);

      switch (random.nextInt(20)) {
        case 0 -> lines.add(line);
        case 1 -> lines.add(line.withQuantity(line.quantity() + 1));
        default -> {}
      }
    }
  }

  /** What a day brings of earlier ones: corrections, cancellations, and lines as they were. */
  private List<Line> afterthoughts(LocalDateTime now) {
    List<Line> lines = new ArrayList<>(corrected);

    if (!yesterday.isEmpty()) {
      corrected = someOfYesterday();
      corrected.forEach(line -> lines.add(line.withQuantity(line.quantity() + 2).at(now)));
      someOfYesterday().forEach(line -> lines.add(line.cancelled(now)));
      lines.addAll(someOfYesterday());
    }

    return lines;
  }

  private List<Line> someOfYesterday() {
    return random.ints(AFTERTHOUGHTS, 0, yesterday.size()).mapToObj(yesterday::get).toList();
  }

  private record Product(String code, String description, String price) {}

  /** One line of a file. */
  private record Line(
      String invoice,
      String stockCode,
      String description,
      int quantity,
      LocalDateTime at,
      String price,
      String customer,
      String country) {
    Line withStockCode(String newCode) {
      return new Line(invoice, newCode, description, quantity, at, price, customer, country);
    }

    Line withQuantity(int newQuantity) {
      return new Line(invoice, stockCode, description, newQuantity, at, price, customer, country);
    }

    Line at(LocalDateTime newTime) {
      return new Line(invoice, stockCode, description, quantity, newTime, price, customer, country);
    }

    Line cancelled(LocalDateTime newTime) {
      return new Line(
          "C" + invoice, stockCode, description, -quantity, newTime, price, customer, country);
    }

    String csv() {
      return String.join(
          ",",
          invoice,
          stockCode,
          description,
          Integer.toString(quantity),
          WALL_CLOCK.format(at),
          price,
          customer,
          country);
    }
  }
}
