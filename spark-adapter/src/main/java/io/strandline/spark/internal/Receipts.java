package io.strandline.spark.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.strandline.target.Receipt;
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
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Receipts as the text that a commit remembers: JSON, with a field that tells it from others'. */
public final class Receipts {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String MARK = "strandline";
  private static final int FORMAT = 1;

  private Receipts() {}

  /**
   * Writes a receipt.
   *
   * @param receipt the receipt
   * @return one line of JSON
   */
  public static String toJson(Receipt receipt) {
    ObjectNode json = JSON.createObjectNode();
    json.put(MARK, FORMAT);
    json.put("verb", receipt.verb().name());
    json.put("store", receipt.identity().store());
    json.put("load", receipt.identity().load().value());
    json.put("purpose", receipt.identity().purpose());
    json.put("number", receipt.number());
    json.put("attempt", receipt.attempt());
    json.put("remainder", receipt.remainder().name());
    json.put("declaration", receipt.declaration());

    for (StreamRange range : receipt.ranges()) {
      ObjectNode stream = json.withArray("ranges").addObject();
      stream.put("stream", range.stream().value());
      stream.put("stored", range.stored().typed());
      stream.put("after", range.range().after().typed());
      stream.put("bound", range.range().bound().name());
      stream.put("upTo", range.range().upTo().typed());
      stream.put("next", range.next().typed());
      stream.set("source", snapshotJson(receipt.snapshot(range.stream())));
    }

    return json.toString();
  }

  /**
   * Reads a receipt.
   *
   * @param text the text of a commit
   * @return the receipt; empty if the text is none of ours
   */
  public static Optional<Receipt> fromJson(String text) {
    JsonNode json;

    try {
      json = JSON.readTree(text);
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }

    if (json == null || json.path(MARK).asInt() != FORMAT) {
      return Optional.empty();
    }

    List<StreamRange> ranges = new ArrayList<>();
    Map<StreamName, TableSnapshot> snapshots = new HashMap<>();

    for (JsonNode stream : json.path("ranges")) {
      StreamName name = new StreamName(stream.path("stream").asText());
      ranges.add(
          new StreamRange(
              name,
              Watermark.parse(stream.path("stored").asText()),
              new WatermarkRange(
                  Watermark.parse(stream.path("after").asText()),
                  Bound.valueOf(stream.path("bound").asText()),
                  Watermark.parse(stream.path("upTo").asText())),
              Watermark.parse(stream.path("next").asText())));
      snapshots.put(name, snapshot(stream.path("source")));
    }

    return Optional.of(
        new Receipt(
            Verb.valueOf(json.path("verb").asText()),
            new LoadIdentity(
                json.path("store").asText(),
                new LoadName(json.path("load").asText()),
                json.path("purpose").asText()),
            json.path("number").asLong(),
            json.path("attempt").asText(),
            ranges,
            snapshots,
            Remainder.valueOf(json.path("remainder").asText()),
            json.path("declaration").asText()));
  }

  static ObjectNode snapshotJson(TableSnapshot snapshot) {
    return JSON.createObjectNode().put("id", snapshot.tableId()).put("version", snapshot.version());
  }

  static TableSnapshot snapshot(JsonNode json) {
    return json.isMissingNode()
        ? TableSnapshot.unknown()
        : new TableSnapshot(json.path("id").asText(), json.path("version").asLong(-1));
  }
}
