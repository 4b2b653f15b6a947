package io.strandline.samples.replaycases;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A JSON object of which every field must be asked for; what nobody asks for is not understood, and
 * is told.
 *
 * <p>Not for use by several threads.
 */
final class Fields {
  private final String path;
  private final Map<String, @Nullable Object> values;
  private final Set<String> left;

  /** What is not understood, of the whole case. */
  private final List<String> unknown;

  private Fields(String path, Map<String, @Nullable Object> values, List<String> unknown) {
    this.path = path;
    this.values = values;
    this.left = new LinkedHashSet<>(values.keySet());
    this.unknown = unknown;
  }

  static Fields of(Object json, List<String> unknown) {
    return new Fields("", object("the case", json), unknown);
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  /** Marks fields as seen that say nothing to the replay. */
  void skip(String... names) {
    left.removeAll(List.of(names));
  }

  /** Tells of the fields that nobody has asked for. */
  void done() {
    left.forEach(name -> unknown.add("field " + path(name)));
    left.clear();
  }

  @Nullable Object value(String name) {
    left.remove(name);
    return values.get(name);
  }

  String text(String name) {
    if (value(name) instanceof String text) {
      return text;
    }

    throw new IllegalArgumentException(path(name) + " is missing, or is no text.");
  }

  Optional<String> textIfThere(String name) {
    return has(name) ? Optional.of(text(name)) : Optional.empty();
  }

  /** Returns one of the words that are known; another one is told, and the first returned. */
  String word(String name, String... known) {
    String word = textIfThere(name).orElse(known[0]);

    if (!List.of(known).contains(word)) {
      unknown.add(path(name) + " '" + word + "'");
      return known[0];
    }

    return word;
  }

  boolean flag(String name, boolean otherwise) {
    Object value = value(name);
    return value instanceof Boolean flag ? flag : otherwise;
  }

  long number(String name, long otherwise) {
    Object value = value(name);
    return value instanceof Number number ? number.longValue() : otherwise;
  }

  List<String> texts(String name) {
    Object value = value(name);

    if (value instanceof String one) {
      return List.of(one);
    }

    return list(path(name), value).stream().map(String::valueOf).toList();
  }

  List<@Nullable Object> list(String name) {
    return list(path(name), value(name));
  }

  /** Returns an object whose fields are names of the case's own, such as columns. */
  Map<String, @Nullable Object> map(String name) {
    Object value = value(name);
    return value == null ? Map.of() : object(path(name), value);
  }

  Map<String, String> textMap(String name) {
    Map<String, String> texts = new LinkedHashMap<>();
    map(name).forEach((key, value) -> texts.put(key, String.valueOf(value)));
    return texts;
  }

  /** Returns an object of known fields; an empty one if it is not there. */
  Fields object(String name) {
    return new Fields(path(name), map(name), unknown);
  }

  List<Fields> objects(String name) {
    List<Fields> objects = new ArrayList<>();

    for (Object element : list(name)) {
      String at = path(name) + "[" + (objects.size() + 1) + "]";
      objects.add(new Fields(at, object(at, element), unknown));
    }

    return objects;
  }

  /** Returns objects of known fields under names of the case's own. */
  Map<String, Fields> objectsByName(String name) {
    Map<String, Fields> objects = new LinkedHashMap<>();
    map(name)
        .forEach(
            (key, value) -> {
              String at = path(name) + "." + key;
              objects.put(key, new Fields(at, object(at, value), unknown));
            });
    return objects;
  }

  List<Map<String, @Nullable Object>> rows(String name) {
    List<Map<String, @Nullable Object>> rows = new ArrayList<>();

    for (Object element : list(name)) {
      rows.add(object(path(name), element));
    }

    return rows;
  }

  private String path(String name) {
    return path.isEmpty() ? name : path + "." + name;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, @Nullable Object> object(String path, @Nullable Object value) {
    if (value instanceof Map<?, ?> map) {
      return (Map<String, @Nullable Object>) map;
    }

    throw new IllegalArgumentException(path + " is no object.");
  }

  @SuppressWarnings("unchecked")
  private static List<@Nullable Object> list(String path, @Nullable Object value) {
    if (value == null) {
      return List.of();
    }

    if (value instanceof List<?> list) {
      return (List<@Nullable Object>) list;
    }

    throw new IllegalArgumentException(path + " is no list.");
  }

  /** Returns the path of the object in the case. */
  @Override
  public String toString() {
    return path;
  }
}
