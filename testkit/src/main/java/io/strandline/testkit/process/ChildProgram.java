package io.strandline.testkit.process;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A program in a JVM of its own, which a test can talk to and kill.
 *
 * <p>The program has the class path of the test, and those options of its JVM that open modules or
 * begin with {@code -X}. It is told lines on its standard input and is heard on its standard
 * output; it should end when its input ends, so that it does not outlive a test that was killed.
 *
 * <pre>{@code
 * try (ChildProgram nightly = ChildProgram.start(NightlyLoad.class, folder)) {
 *   nightly.awaitLine("ready"::equals);
 *   nightly.killAfter(Duration.ofMillis(800));
 * }
 * }</pre>
 *
 * <p>For one thread at a time. A program that says nothing and does not end is waited for without
 * end: give the test a timeout.
 */
public final class ChildProgram implements AutoCloseable {
  private final String name;
  private final Process process;
  private final Path errors;
  private final BufferedReader reader;
  private final BufferedWriter writer;
  private final List<String> lines = new ArrayList<>();

  private ChildProgram(String name, Process process, Path errors) {
    this.name = name;
    this.process = process;
    this.errors = errors;
    this.reader = process.inputReader(UTF_8);
    this.writer = process.outputWriter(UTF_8);
  }

  /**
   * Starts a program.
   *
   * @param program the class that has {@code main}
   * @param args its arguments
   * @return the program, which runs
   */
  public static ChildProgram start(Class<?> program, String... args) {
    return start(List.of(), program, args);
  }

  /**
   * Starts a program in a JVM with further options, such as a smaller heap.
   *
   * @param options the options, such as {@code -Xmx512m}; they override those of the test
   * @param program the class that has {@code main}
   * @param args its arguments
   * @return the program, which runs
   */
  public static ChildProgram start(List<String> options, Class<?> program, String... args) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(inheritedOptions());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
    command.addAll(List.of(args));

    try {
      Path errors = Files.createTempFile("strandline-child", ".txt");
      Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
      return new ChildProgram(program.getSimpleName(), process, errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<String> inheritedOptions() {
    return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(
            option ->
                option.startsWith("--add-opens")
                    || option.startsWith("--enable-native-access")
                    || option.startsWith("--sun-misc")
                    || option.startsWith("-X"))
        .toList();
  }

  /**
   * Waits until the program prints a line, beyond those that were waited for before.
   *
   * @param wanted tells the line
   * @return the line
   * @throws AssertionError if the program ends before; the message shows what it printed
   */
  public String awaitLine(Predicate<String> wanted) {
    while (true) {
      String line = readLine();

      if (line == null) {
        throw new AssertionError(name + " has ended and did not say it.\n" + report());
      }

      if (wanted.test(line)) {
        return line;
      }
    }
  }

  /**
   * Prints a line into the program's standard input.
   *
   * @param line the line
   */
  public void tell(String line) {
    try {
      writer.write(line);
      writer.newLine();
      writer.flush();
    } catch (IOException e) {
      throw new AssertionError(name + " does not listen.\n" + report(), e);
    }
  }

  /**
   * Lets the program work for a time, and then kills it as {@code kill -9} does.
   *
   * @param time the time, zero or more, in whole milliseconds
   * @throws AssertionError if the program ended by itself before
   */
  public void killAfter(Duration time) {
    try {
      if (process.waitFor(time.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new AssertionError(name + " has ended before it was killed.\n" + report());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }

    process.destroyForcibly();
    readAll();
    status();
  }

  /**
   * Waits until the program has ended well.
   *
   * @return all lines that it has printed
   * @throws AssertionError if it ended with another status than zero; the message shows what it
   *     printed
   */
  public List<String> finish() {
    readAll();

    if (status() != 0) {
      throw new AssertionError(name + " has failed.\n" + report());
    }

    return lines();
  }

  /** Returns all lines that the program has printed and that were read so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** Kills the program if it still runs. */
  @Override
  public void close() {
    process.destroyForcibly();
    status();

    try {
      Files.deleteIfExists(errors);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void readAll() {
    while (readLine() != null) {
      // Each line has been kept.
    }
  }

  private @Nullable String readLine() {
    try {
      String line = reader.readLine();

      if (line != null) {
        lines.add(line);
      }

      return line;
    } catch (IOException e) {
      // The pipe of a killed program may break instead of end.
      return null;
    }
  }

  private int status() {
    try {
      return process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("Interrupted while " + name + " ended.", e);
    }
  }

  private String report() {
    try {
      readAll();
      return "Status "
          + status()
          + ". Printed:\n"
          + String.join("\n", lines)
          + "\nErrors:\n"
          + Files.readString(errors);
    } catch (IOException e) {
      return "What it printed cannot be read: " + e;
    }
  }

  /** Returns the name of the program's class. */
  @Override
  public String toString() {
    return name;
  }
}
