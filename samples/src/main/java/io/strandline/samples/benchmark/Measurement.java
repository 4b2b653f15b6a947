package io.strandline.samples.benchmark;

/**
 * What a trial took.
 *
 * @param millis the time, in milliseconds
 * @param jobs the Spark jobs
 * @param rowsInRange the rows that it had to read
 * @param rowsScanned the rows that scans of the source gave
 * @param filesRead the data files of source and target that were scanned, each as often as it was
 * @param bytesRead the bytes that tasks read, the logs of tables included
 * @param filesWritten the data files and deletion vectors that came into the target
 * @param bytesWritten the bytes of these files
 */
record Measurement(
    long millis,
    long jobs,
    long rowsInRange,
    long rowsScanned,
    long filesRead,
    long bytesRead,
    long filesWritten,
    long bytesWritten) {}
