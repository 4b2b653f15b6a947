package io.strandline.spark.proof;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * What a program hears from the test that has started it. When the test is gone, so is the program.
 */
final class Parent {
  private final BlockingQueue<String> words = new LinkedBlockingQueue<>();

  private Parent() {}

  /** Begins to listen. */
  static Parent heard() {
    Parent parent = new Parent();
    Thread ear = new Thread(parent::listen, "parent");
    ear.setDaemon(true);
    ear.start();
    return parent;
  }

  /** Waits until the test says a line, and returns it. */
  String awaitWord() {
    try {
      return words.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException("Interrupted while the test was silent.", e);
    }
  }

  /** Says something to the test. */
  static void tell(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private void listen() {
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        words.add(line);
      }
    } catch (IOException e) {
      System.err.println("The test cannot be heard: " + e);
    }

    Runtime.getRuntime().halt(1);
  }
}
