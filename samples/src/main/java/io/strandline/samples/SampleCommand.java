package io.strandline.samples;

import io.strandline.load.LoadException;
import io.strandline.problem.Problem;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/**
 * Runs a sample as a command: status 0 if all is well, 1 if it failed, 2 if its arguments are
 * wrong.
 *
 * <p>What went wrong is told in one line on the error stream; with the option {@code --verbose} the
 * stack trace follows.
 */
public final class SampleCommand {
  private static final String VERBOSE = "--verbose";

  private SampleCommand() {}

  /**
   * Runs a sample.
   *
   * @param sample the sample, annotated as a command
   * @param args its arguments
   * @return the exit status
   */
  public static int run(Callable<Integer> sample, String... args) {
    return new CommandLine(sample)
        .setParameterExceptionHandler(SampleCommand::explainArguments)
        .setExecutionExceptionHandler(SampleCommand::explainFailure)
        .execute(args);
  }

  private static int explainArguments(ParameterException e, String[] args) {
    PrintWriter err = e.getCommandLine().getErr();
    err.println(e.getMessage() + " (--help tells which arguments there are)");
    return CommandLine.ExitCode.USAGE;
  }

  private static int explainFailure(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    boolean explainsItself = e instanceof LoadException || e instanceof Problem;
    err.println(explainsItself ? e.getMessage() : firstLine(e));

    if (parsed.hasMatchedOption(VERBOSE)) {
      e.printStackTrace(err);
    }

    return CommandLine.ExitCode.SOFTWARE;
  }

  private static String firstLine(Exception e) {
    return e.toString().lines().findFirst().orElse("");
  }
}
