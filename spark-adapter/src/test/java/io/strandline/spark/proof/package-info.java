/** Whole loads on Spark and Delta, held to the rules: killed, raced, disturbed, steered by hand. */
@org.jspecify.annotations.NullMarked
package io.strandline.spark.proof;
