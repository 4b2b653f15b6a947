package io.strandline.spark.internal;

import static org.apache.spark.sql.functions.col;
import static org.apache.spark.sql.functions.udf;
import static org.assertj.core.api.Assertions.assertThat;

import io.strandline.testkit.spark.LakehouseExtension;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.api.java.UDF1;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LakehouseExtension.class)
class RunSessionTest {
  private static final String ADAPTIVE = "spark.sql.adaptive.enabled";
  private static final String SHUFFLE_TASKS = "spark.sql.shuffle.partitions";

  @Test
  void of_loadsClassesOnceForAllSessions(SparkSession spark) {
    SparkSession caller = spark.newSession();

    assertThat(classLoaderOfTasks(RunSession.of(caller)))
        .isEqualTo(classLoaderOfTasks(RunSession.of(caller)));
  }

  private static int classLoaderOfTasks(SparkSession session) {
    UDF1<Long, Integer> loader =
        id -> System.identityHashCode(Thread.currentThread().getContextClassLoader());
    return session
        .range(1)
        .select(udf(loader, DataTypes.IntegerType).apply(col("id")))
        .head()
        .getInt(0);
  }

  @Test
  void planAtOnce_changesTheSessionOfTheRunAlone(SparkSession spark) {
    SparkSession caller = spark.newSession();
    caller.conf().set(ADAPTIVE, "true");
    caller.conf().set(SHUFFLE_TASKS, "200");
    SparkSession session = RunSession.of(caller);

    RunSession.planAtOnce(session, 2);

    assertThat(session.conf().get(ADAPTIVE)).isEqualTo("false");
    assertThat(session.conf().get(SHUFFLE_TASKS)).isEqualTo("2");
    assertThat(caller.conf().get(ADAPTIVE)).isEqualTo("true");
    assertThat(caller.conf().get(SHUFFLE_TASKS)).isEqualTo("200");
  }

  @Test
  void planAtOnce_neverTakesMoreTasksThanTheCaller(SparkSession spark) {
    SparkSession caller = spark.newSession();
    caller.conf().set(SHUFFLE_TASKS, "1");
    SparkSession session = RunSession.of(caller);

    RunSession.planAtOnce(session, 3);

    assertThat(session.conf().get(SHUFFLE_TASKS)).isEqualTo("1");
  }
}
