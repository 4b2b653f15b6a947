package io.strandline;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "io.strandline", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule core_knowsNoEngine =
      noClasses()
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("org.apache.spark..", "io.delta..", "scala..", "java.sql..");

  @ArchTest
  static final ArchRule load_isUsedByNobody =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.strandline.load..")
          .should()
          .dependOnClassesThat()
          .resideInAPackage("io.strandline.load..");

  @ArchTest
  static final ArchRule source_knowsOnlyWatermarks =
      onlyKnows("io.strandline.source..", "io.strandline.clean..", "io.strandline.target..");

  @ArchTest
  static final ArchRule clean_knowsOnlyWatermarks =
      onlyKnows("io.strandline.clean..", "io.strandline.source..", "io.strandline.target..");

  @ArchTest
  static final ArchRule target_knowsOnlyWatermarks =
      onlyKnows("io.strandline.target..", "io.strandline.source..", "io.strandline.clean..");

  @ArchTest
  static final ArchRule watermark_knowsOnlyProblems =
      onlyKnows(
          "io.strandline.watermark..",
          "io.strandline.source..",
          "io.strandline.clean..",
          "io.strandline.target..",
          "io.strandline.load..");

  @ArchTest
  static final ArchRule problem_knowsNobody =
      onlyKnows(
          "io.strandline.problem..",
          "io.strandline.watermark..",
          "io.strandline.source..",
          "io.strandline.clean..",
          "io.strandline.target..",
          "io.strandline.load..");

  private static ArchRule onlyKnows(String who, String... strangers) {
    return noClasses()
        .that()
        .resideInAPackage(who)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(strangers);
  }
}
