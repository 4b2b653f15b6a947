/**
 * The history of customers: every change that a shop hears of, in whatever order, becomes a version
 * with the time in which it held.
 */
@NullMarked
package io.strandline.samples.customerhistory;

import org.jspecify.annotations.NullMarked;
