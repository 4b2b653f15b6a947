package io.strandline.load;

import io.strandline.source.SourcePlan;
import io.strandline.target.TargetStanding;
import io.strandline.watermark.NumberKeeping;
import io.strandline.watermark.StoredWatermarks;
import java.util.ArrayList;
import java.util.List;

/** Says in sentences what the next run of a load would do. */
final class Explanation {
  private Explanation() {}

  /**
   * Explains a plan.
   *
   * @param parts the parts of the load
   * @param stored what the store holds
   * @param standing what the target knows
   * @param plan what the next run would read if no run died
   * @return a sentence per line
   */
  static String of(
      Parts<?> parts, StoredWatermarks stored, TargetStanding standing, SourcePlan<?> plan) {
    List<String> sentences = new ArrayList<>();
    sentences.add(
        "Load '"
            + parts.name()
            + "' reads "
            + parts.source().name()
            + " into "
            + parts.target().name()
            + ", tracked in "
            + parts.store().name());
    sentences.add(
        stored.isFirstRun()
            ? "No watermark is stored, so everything is new"
            : "The stored watermark is " + Attempt.text(stored));

    if (parts.store().numberKeeping() != NumberKeeping.NONE
        && standing.number() > stored.highest()) {
      sentences.add(
          "Run "
              + standing.number()
              + " was committed, and died before its watermark was moved. The next run moves it"
              + " first, and what follows is how it stands until then");
    }

    if (!standing.disturbances().isEmpty()) {
      sentences.add(
          "The next run stops, since something was done to "
              + parts.target().name()
              + ": "
              + String.join(", and ", standing.disturbances()));
    }

    sentences.add(
        plan instanceof SourcePlan.NothingNew<?>
            ? "Nothing is new. " + plan.explanation()
            : plan.explanation());
    sentences.addAll(plan.warnings());
    sentences.addAll(parts.source().advice());
    sentences.addAll(parts.target().advice());
    return String.join("\n", sentences.stream().map(Explanation::sentence).toList());
  }

  private static String sentence(String text) {
    return text.endsWith(".") ? text : text + ".";
  }
}
