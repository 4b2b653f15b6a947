/** Tests of what the parts on Spark share. */
@NullMarked
package io.strandline.spark.internal;

import org.jspecify.annotations.NullMarked;
