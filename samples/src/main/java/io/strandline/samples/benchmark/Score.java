package io.strandline.samples.benchmark;

/**
 * What one contestant took in one round.
 *
 * @param caseName the case
 * @param contender who
 * @param size the size of the case
 * @param round the round, from 1
 * @param measured what it took
 */
record Score(String caseName, String contender, long size, int round, Measurement measured) {}
