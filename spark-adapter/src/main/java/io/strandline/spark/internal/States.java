package io.strandline.spark.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.strandline.watermark.Remainder;
import io.strandline.watermark.StoreState;
import io.strandline.watermark.Watermark;

/** What a store keeps beside a watermark, as the text of its column: JSON. */
public final class States {
  private static final ObjectMapper JSON = new ObjectMapper();

  private States() {}

  /**
   * Writes a state.
   *
   * @param state the state
   * @return one line of JSON
   */
  public static String toJson(StoreState state) {
    ObjectNode json = JSON.createObjectNode();
    json.put("number", state.number());
    json.put("value", state.value().typed());
    json.set("source", Receipts.snapshotJson(state.source()));
    json.put("remainder", state.remainder().name());
    json.set("target", Receipts.snapshotJson(state.target()));
    json.put("declaration", state.declaration());
    return json.toString();
  }

  /**
   * Reads a state.
   *
   * @param text the column's text
   * @return the state; {@link StoreState#none()} if the text is not of our making, since a person
   *     may have written anything there
   */
  public static StoreState fromJson(String text) {
    try {
      JsonNode json = JSON.readTree(text);

      if (json == null || !json.has("number") || !json.has("value")) {
        return StoreState.none();
      }

      return new StoreState(
          json.path("number").asLong(),
          Watermark.parse(json.path("value").asText()),
          Receipts.snapshot(json.path("source")),
          Remainder.valueOf(json.path("remainder").asText()),
          Receipts.snapshot(json.path("target")),
          json.path("declaration").asText());
    } catch (JsonProcessingException | IllegalArgumentException e) {
      return StoreState.none();
    }
  }
}
