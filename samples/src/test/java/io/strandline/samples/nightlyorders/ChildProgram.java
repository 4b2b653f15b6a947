package io.strandline.samples.nightlyorders;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

/** A program in a JVM of its own, which can be killed. */
final class ChildProgram {
  private static final String STALLED = "The child stands still and can be killed.";

  private ChildProgram() {}

  /** What a program that ran to its end left. */
  record Ended(int status, List<String> out, String err) {}

  /** Called in the child: tells the parent that it can be killed, and waits for that. */
  static void stall() {
    System.out.println(STALLED);
    System.out.flush();

    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Runs a program until it stands still, and kills it. */
  static void killedWhenItStalls(
      Path errors, Class<?> program, Map<String, String> properties, String... args)
      throws IOException, InterruptedException {
    Process child = start(errors, program, properties, args);
    List<String> out = new ArrayList<>();

    try (BufferedReader lines = child.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        if (line.equals(STALLED)) {
          child.destroyForcibly();
          child.waitFor();
          return;
        }

        out.add(line);
      }
    }

    throw new AssertionError(
        "The child ended with status "
            + child.waitFor()
            + " and was not to be killed.\n"
            + String.join("\n", out)
            + "\n"
            + Files.readString(errors));
  }

  /** Runs a program to its end. */
  static Ended run(Path errors, Class<?> program, Map<String, String> properties, String... args)
      throws IOException, InterruptedException {
    Process child = start(errors, program, properties, args);
    List<String> out;

    try (BufferedReader lines = child.inputReader(UTF_8)) {
      out = lines.lines().toList();
    }

    return new Ended(child.waitFor(), out, Files.readString(errors));
  }

  private static Process start(
      Path errors, Class<?> program, Map<String, String> properties, String... args)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(sparksOptions());
    // The tests' own configuration stands before the program's on their class path.
    command.add("-Dlog4j2.configurationFile=log4j2.properties");
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectError(errors.toFile()).start();
  }

  /** The options of this JVM that Spark needs and that make it start quickly. */
  private static List<String> sparksOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            option ->
                option.startsWith("--add-opens")
                    || option.startsWith("--enable-native-access")
                    || option.startsWith("--sun-misc")
                    || option.startsWith("-X"))
        .toList();
  }
}
