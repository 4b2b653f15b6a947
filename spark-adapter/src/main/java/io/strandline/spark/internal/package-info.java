/**
 * What the rooms of the Spark adapter share: tables, sessions, columns, and stored text.
 *
 * <p>Not API: anything here may change in any release.
 */
@NullMarked
package io.strandline.spark.internal;

import org.jspecify.annotations.NullMarked;
