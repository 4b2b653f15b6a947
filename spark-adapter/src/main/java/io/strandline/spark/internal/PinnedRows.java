package io.strandline.spark.internal;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Rows of a table that stay as they are, whatever happens to the table.
 *
 * @param rows the rows
 * @param values asks the table's log what it tells of some columns in the files of the rows, the
 *     names as the rows have them; empty if it does not tell of all files
 */
public record PinnedRows(Dataset<Row> rows, Function<List<String>, Optional<FileValues>> values) {}
