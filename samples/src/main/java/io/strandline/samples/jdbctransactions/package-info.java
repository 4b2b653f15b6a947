/**
 * Transactions of a database, of which every night only what is new or changed is loaded.
 *
 * <p>Start with {@link io.strandline.samples.jdbctransactions.JdbcTransactions}.
 */
@NullMarked
package io.strandline.samples.jdbctransactions;

import org.jspecify.annotations.NullMarked;
