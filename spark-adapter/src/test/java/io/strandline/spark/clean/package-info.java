/** What declared columns do to raw rows. */
@org.jspecify.annotations.NullMarked
package io.strandline.spark.clean;
