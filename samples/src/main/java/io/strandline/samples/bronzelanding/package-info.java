/**
 * Files that land in dated folders, in a bronze table: each row once, with where it came from, and
 * on demand only what differs from before.
 */
@NullMarked
package io.strandline.samples.bronzelanding;

import org.jspecify.annotations.NullMarked;
