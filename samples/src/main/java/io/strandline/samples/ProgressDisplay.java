package io.strandline.samples;

import io.strandline.load.LoadEvent;
import io.strandline.load.LoadListener;
import io.strandline.load.LoadPhase;
import io.strandline.load.LoadStep;
import java.io.Console;
import java.util.List;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/**
 * Shows on the terminal which step a load is at, while a person watches.
 *
 * <p>Writes to the error stream and wipes what it wrote, so that the output is the same with and
 * without it. For use by one thread.
 */
public final class ProgressDisplay implements LoadListener, AutoCloseable {
  private static final List<LoadStep> STEPS = List.of(LoadStep.values());
  private static final int MILLIS_BETWEEN_UPDATES = 200;
  private static final int WIDTH = 78;

  private final Audience audience;
  private @Nullable ProgressBar bar;

  private enum Audience {
    PERSON,
    NOBODY
  }

  private ProgressDisplay(Audience audience) {
    this.audience = audience;
  }

  /** Returns a display that shows itself only if the program runs in a person's terminal. */
  public static ProgressDisplay onTerminal() {
    return new ProgressDisplay(isWatched() ? Audience.PERSON : Audience.NOBODY);
  }

  /** Returns a display that never shows itself. */
  public static ProgressDisplay none() {
    return new ProgressDisplay(Audience.NOBODY);
  }

  @SuppressWarnings("SystemConsoleNull") // Asked for below.
  private static boolean isWatched() {
    Console console = System.console();
    return console != null
        && isTerminal(console)
        && System.getenv("CI") == null
        && !"dumb".equals(System.getenv("TERM"));
  }

  /** From JDK 22 on there is a console without a terminal too, and a method that tells. */
  private static boolean isTerminal(Console console) {
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException e) {
      return true;
    }
  }

  /**
   * Shows that a long step has begun which is no part of a load.
   *
   * @param task what is being done
   */
  public void begin(String task) {
    close();

    if (audience == Audience.PERSON) {
      bar =
          new ProgressBarBuilder()
              .setTaskName(task)
              .setInitialMax(STEPS.size())
              .setStyle(ProgressBarStyle.ASCII)
              .setUpdateIntervalMillis(MILLIS_BETWEEN_UPDATES)
              .setMaxRenderedLength(WIDTH)
              .hideEta()
              .setConsumer(new ConsoleProgressBarConsumer(System.err, WIDTH))
              .clearDisplayOnFinish()
              .build();
    }
  }

  @Override
  public void on(LoadEvent event) {
    if (event.step() == LoadStep.READ && event.phase() == LoadPhase.STARTED) {
      begin("Loading " + event.load());
    }

    ProgressBar shown = bar;

    if (shown != null && event.phase() == LoadPhase.STARTED) {
      shown.stepTo(1L + STEPS.indexOf(event.step()));
      shown.setExtraMessage(event.step().name().toLowerCase(Locale.ROOT));
    }

    if (event.phase() == LoadPhase.FAILED
        || (event.step() == LoadStep.LOG && event.phase() == LoadPhase.FINISHED)) {
      close();
    }
  }

  /** Wipes the display, if it is shown. */
  @Override
  public void close() {
    ProgressBar shown = bar;
    bar = null;

    if (shown != null) {
      shown.close();
    }
  }
}
