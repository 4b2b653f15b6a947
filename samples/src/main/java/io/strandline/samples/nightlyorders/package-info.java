/**
 * Orders that land every night, loaded into a table with one row per line of an invoice.
 *
 * <p>Start with {@link io.strandline.samples.nightlyorders.NightlyOrders}.
 */
@NullMarked
package io.strandline.samples.nightlyorders;

import org.jspecify.annotations.NullMarked;
