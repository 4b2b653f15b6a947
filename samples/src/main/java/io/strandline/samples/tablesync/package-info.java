/**
 * Two landing tables that are synced into one: a watermark for each, deletes that arrive, a sweep
 * that asks first, and upkeep.
 */
@NullMarked
package io.strandline.samples.tablesync;

import org.jspecify.annotations.NullMarked;
