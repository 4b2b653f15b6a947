package io.strandline.samples;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SamplesTest {
  private static final String NIGHTLY_ORDERS = "mvn -q compile exec:java -Dsample=nightly-orders";

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void list_withoutAName_listsTheSamplesAndSucceeds() {
    int status = list("");

    assertThat(status).isZero();
    assertThat(out.toString(UTF_8)).contains("nightly-orders", NIGHTLY_ORDERS);
    assertThat(err.toString(UTF_8)).isEmpty();
  }

  @Test
  void list_withAnUnknownName_saysSoAndListsTheSamples() {
    int status = list("nightly-order");

    assertThat(status).isEqualTo(2);
    assertThat(out.toString(UTF_8)).isEmpty();
    assertThat(err.toString(UTF_8))
        .startsWith("There is no sample 'nightly-order'.")
        .contains(NIGHTLY_ORDERS);
  }

  @Test
  void samples_inTheirImports_useOnlyWhatIsPublished() throws IOException {
    List<Path> sources;

    try (Stream<Path> files = Files.walk(Path.of("src", "main", "java"))) {
      sources = files.filter(file -> file.toString().endsWith(".java")).toList();
    }

    assertThat(sources).isNotEmpty();
    assertThat(sources)
        .allSatisfy(
            source ->
                assertThat(Files.readString(source))
                    .doesNotContainPattern("io\\.strandline\\.[a-z.]*internal"));
  }

  private int list(String asked) {
    return Samples.list(
        asked, new PrintStream(out, true, UTF_8), new PrintStream(err, true, UTF_8));
  }
}
