package io.strandline.samples.bronzelanding;

/**
 * A table of a source system, as it lands in files.
 *
 * @param table the name of the bronze table
 * @param folder the folder of the files, with folders like {@code year=2026/month=3/day=2} in it
 * @param format how rows stand in the files
 * @param system the code of the source system
 * @param key the column that holds the key of the source
 * @param modified the column that says when the source changed a row last
 * @param appended which rows are appended
 */
record Origin(
    String table,
    String folder,
    Format format,
    String system,
    String key,
    String modified,
    Appended appended) {

  /** How rows stand in files. */
  enum Format {
    /** Columns with types. */
    PARQUET,
    /** Fields separated by commas, below a line with their names. */
    CSV
  }

  /** Which rows are appended. */
  enum Appended {
    /** Every row of every file. */
    ALL,
    /** Rows that differ from the version of their key before them. */
    CHANGES
  }
}
