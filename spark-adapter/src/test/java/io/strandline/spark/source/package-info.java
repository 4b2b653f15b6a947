/** Tests of the sources that Spark reads. */
@NullMarked
package io.strandline.spark.source;

import org.jspecify.annotations.NullMarked;
