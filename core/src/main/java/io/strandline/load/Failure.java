package io.strandline.load;

import io.strandline.problem.ProblemKind;
import io.strandline.watermark.LoadName;
import org.jspecify.annotations.Nullable;

/** What an exception is made from. */
record Failure(
    LoadName load,
    LoadStep step,
    ProblemKind kind,
    String watermark,
    Aftermath aftermath,
    @Nullable Throwable cause) {}
