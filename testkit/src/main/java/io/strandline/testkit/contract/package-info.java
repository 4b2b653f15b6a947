/**
 * What every store, source, cleaner, target and quarantine promises, as tests.
 *
 * <p>Each contract is an interface with a test per promise. A test class implements the one of the
 * part that it has written, says how to make the part, and is done:
 *
 * <pre>{@code
 * class FakeWatermarkStoreTest implements WatermarkStoreContract {
 *   @Override
 *   public WatermarkStore newStore() {
 *     return FakeWatermarkStore.empty();
 *   }
 * }
 * }</pre>
 *
 * <p>What a part cannot do it says by overriding a predicate; the tests of that promise are then
 * skipped, visibly. Start with {@link io.strandline.testkit.contract.WatermarkStoreContract}.
 */
@NullMarked
package io.strandline.testkit.contract;

import org.jspecify.annotations.NullMarked;
