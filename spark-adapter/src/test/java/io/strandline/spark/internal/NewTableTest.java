package io.strandline.spark.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.strandline.problem.Problem;
import io.strandline.testkit.spark.Lakehouse;
import io.strandline.testkit.spark.LakehouseExtension;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class NewTableTest {
  private final AtomicInteger tries = new AtomicInteger();

  @Test
  void make_whileAnotherProcessIsHalfDone_triesAgain(SparkSession spark, Lakehouse lakehouse) {
    DeltaRef orders = DeltaRef.forName(spark, lakehouse.table("orders"));

    NewTable.make(
        orders,
        () -> {
          if (tries.incrementAndGet() == 1) {
            throw NewTableTest.<RuntimeException>undeclared(new IOException("not empty"));
          }

          create(spark, orders);
        });

    assertThat(orders.exists()).isTrue();
    assertThat(tries).hasValue(2);
  }

  @Test
  void make_whenAnotherProcessWasFaster_takesItsTable(SparkSession spark, Lakehouse lakehouse) {
    DeltaRef orders = DeltaRef.forName(spark, lakehouse.table("orders"));

    NewTable.make(
        orders,
        () -> {
          tries.incrementAndGet();
          create(spark, orders);
          throw NewTableTest.<RuntimeException>undeclared(new IOException("it exists"));
        });

    assertThat(orders.exists()).isTrue();
    assertThat(tries).hasValue(1);
  }

  @Test
  void make_whereItCannotBeMade_saysWhy(SparkSession spark, Lakehouse lakehouse) {
    DeltaRef orders = DeltaRef.forName(spark, lakehouse.table("orders"));

    assertThatThrownBy(
            () ->
                NewTable.make(
                    orders,
                    () -> {
                      throw NewTableTest.<RuntimeException>undeclared(
                          new IOException("the disk is full"));
                    }))
        .isInstanceOf(Problem.class)
        .hasMessage("Cannot create " + orders.name() + ": java.io.IOException: the disk is full.");
  }

  private static void create(SparkSession spark, DeltaRef table) {
    spark.sql("CREATE TABLE " + table.sqlIdentifier() + " (id BIGINT) USING delta");
  }

  /** Throws as code in Scala does, which declares nothing. */
  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <X extends Throwable> X undeclared(Exception exception) throws X {
    throw (X) exception;
  }
}
