package io.strandline.spark.target;

import io.strandline.target.MergeOutcome;
import io.strandline.target.MergeTarget;
import io.strandline.target.Receipt;
import io.strandline.target.StageRequest;
import io.strandline.target.StagedMerge;
import io.strandline.target.Verb;
import io.strandline.watermark.Bound;
import io.strandline.watermark.LoadIdentity;
import io.strandline.watermark.LoadName;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StreamName;
import io.strandline.watermark.StreamRange;
import io.strandline.watermark.TableSnapshot;
import io.strandline.watermark.Watermark;
import io.strandline.watermark.WatermarkRange;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/** What a load hands to its target, for tests that have no load. */
final class Loads {
  static final LoadIdentity ORDERS = LoadIdentity.of("store-1", new LoadName("orders"));

  private Loads() {}

  static MergeOutcome merge(MergeTarget<Dataset<Row>> target, Dataset<Row> rows, Receipt receipt) {
    return stage(target, rows).merge(receipt);
  }

  static StagedMerge<Dataset<Row>> stage(MergeTarget<Dataset<Row>> target, Dataset<Row> rows) {
    return stage(target, rows, List.of("_loaded_at"));
  }

  static StagedMerge<Dataset<Row>> stage(
      MergeTarget<Dataset<Row>> target, Dataset<Row> rows, List<String> watermarkColumns) {
    return target.stage(request(rows, watermarkColumns));
  }

  static StagedMerge<Dataset<Row>> stage(
      MergeTarget<Dataset<Row>> target, Dataset<Row> rows, Verb verb) {
    return target.stage(
        new StageRequest<>(
            ORDERS.load(), rows, List.of(), List.of("_loaded_at"), verb, Instant.EPOCH));
  }

  static StageRequest<Dataset<Row>> request(Dataset<Row> rows, List<String> watermarkColumns) {
    return new StageRequest<>(
        ORDERS.load(), rows, List.of(), watermarkColumns, Verb.RUN, Instant.EPOCH);
  }

  static Receipt receipt(long number) {
    return receipt(number, Verb.RUN);
  }

  static Receipt receipt(long number, Verb verb) {
    return receipt(ORDERS, verb, number, Watermark.of(number - 1), Watermark.of(number));
  }

  static Receipt receiptOf(String load) {
    return receipt(
        LoadIdentity.of("store-1", new LoadName(load)),
        Verb.RUN,
        1,
        Watermark.start(),
        Watermark.of(1));
  }

  static Receipt standingStill(long number) {
    return receipt(ORDERS, Verb.RUN, number, Watermark.of(number), Watermark.of(number));
  }

  static Receipt receiptOf(long number, Watermark after, Bound bound, Watermark upTo) {
    return receipt(ORDERS, Verb.RUN, number, after, new WatermarkRange(after, bound, upTo), upTo);
  }

  private static Receipt receipt(
      LoadIdentity identity, Verb verb, long number, Watermark stored, Watermark next) {
    return receipt(
        identity, verb, number, stored, new WatermarkRange(stored, Bound.INCLUSIVE, next), next);
  }

  static Receipt receipt(
      LoadIdentity identity,
      Verb verb,
      long number,
      Watermark stored,
      Watermark after,
      Watermark next) {
    return receipt(
        identity, verb, number, stored, new WatermarkRange(after, Bound.INCLUSIVE, next), next);
  }

  private static Receipt receipt(
      LoadIdentity identity,
      Verb verb,
      long number,
      Watermark stored,
      WatermarkRange range,
      Watermark next) {
    return new Receipt(
        verb,
        identity,
        number,
        UUID.randomUUID().toString(),
        List.of(new StreamRange(StreamName.only(), stored, range, next)),
        Map.of(StreamName.only(), new TableSnapshot("bronze", number)),
        Remainder.NONE,
        "declared");
  }
}
