/** Rows on their way into Delta tables, by key. */
@org.jspecify.annotations.NullMarked
package io.strandline.spark.target;
