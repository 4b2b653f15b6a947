package io.strandline.samples.nightlyorders;

import io.delta.storage.LocalLogStore;
import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;

/**
 * Writes Delta's commits, and stands still for ever right before or right after one of them, so
 * that whoever started the JVM can kill it at exactly that moment.
 */
public final class StallingLogStore extends LocalLogStore {
  /** Has Delta use this class for its log. */
  static final String USED_BY = "spark.delta.logStore.file.impl";

  /** The property that names the commit to stall before, such as {@code silver_orders/1}. */
  static final String BEFORE = "stall.before";

  /** The property that names the commit to stall after. */
  static final String AFTER = "stall.after";

  /** Makes the store; called by Delta. */
  public StallingLogStore(Configuration configuration) {
    super(configuration);
  }

  @Override
  public void write(
      Path path, Iterator<String> actions, Boolean overwrite, Configuration configuration)
      throws IOException {
    stallIf(BEFORE, path);
    super.write(path, actions, overwrite, configuration);
    stallIf(AFTER, path);
  }

  private static void stallIf(String property, Path path) {
    String table = path.getParent().getParent().getName();
    String commit = table + "/" + Long.parseLong(path.getName().replace(".json", ""));

    if (commit.equals(System.getProperty(property))) {
      ChildProgram.stall();
    }
  }
}
