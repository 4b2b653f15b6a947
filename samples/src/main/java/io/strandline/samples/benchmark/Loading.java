package io.strandline.samples.benchmark;

import com.google.common.base.Suppliers;
import java.util.function.Supplier;

/** A contestant whose trials are made by a function. */
final class Loading implements Contestant {
  private final String name;
  private final Supplier<Trial> trials;

  private Loading(String name, Supplier<Trial> trials) {
    this.name = name;
    this.trials = trials;
  }

  /**
   * Makes a contestant whose every trial is a new one.
   *
   * @param name the name
   * @param trials makes a trial
   */
  static Loading readyEachTime(String name, Supplier<Trial> trials) {
    return new Loading(name, trials);
  }

  /**
   * Makes a contestant whose trial changes nothing, so that it is made once and run again.
   *
   * @param name the name
   * @param trial makes the trial
   */
  static Loading readyOnce(String name, Supplier<Trial> trial) {
    return new Loading(name, Suppliers.memoize(trial::get));
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public Trial trial() {
    return trials.get();
  }
}
