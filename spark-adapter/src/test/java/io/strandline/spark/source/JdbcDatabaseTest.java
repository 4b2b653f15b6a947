package io.strandline.spark.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcDatabaseTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db/shop?user=loader&password=hush-9",
        "jdbc:sqlserver://db;databaseName=shop;Password = hush-9",
        "jdbc:h2:mem:shop;PASSWORD=hush-9",
        "jdbc:mysql://loader:hush-9@db/shop",
        "jdbc:oracle:thin:loader/hush-9@db:1521/shop",
        "jdbc:postgresql://db/shop?accessToken=hush-9"
      })
  void address_withAPasswordInIt_isRefusedAndNotShown(String url) {
    assertThatThrownBy(() -> JdbcDatabase.at(url))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Cannot take the address of the database: it has a password in it, which logs and plans"
                + " would show. Leave it out, and call loggedInAs(..).")
        .message()
        .doesNotContain("hush-9");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "jdbc:postgresql://db:5432/shop?ssl=true",
        "jdbc:sqlserver://db:1433;databaseName=shop",
        "jdbc:oracle:thin:@//db:1521/shop",
        "jdbc:mysql://db:3306/shop?useSSL=false"
      })
  void address_withoutAPassword_isTaken(String url) {
    assertThat(JdbcDatabase.at(url).url()).isEqualTo(url);
    assertThat(JdbcDatabase.at(url).toString()).doesNotContain("?", ";").isSubstringOf(url);
  }

  @Test
  void address_ofSomethingElse_isRefused() {
    assertThatThrownBy(() -> JdbcDatabase.at("postgresql://db/shop"))
        .hasMessage(
            "Cannot take 'postgresql://db/shop' for the address of a database: it must begin with"
                + " jdbc:.");
  }

  @Test
  void options_thatTheSourceSetsByItself_areRefused() {
    assertThatThrownBy(() -> JdbcDatabase.at("jdbc:h2:mem:shop").option("dbTable", "orders"))
        .hasMessage("Cannot set option 'dbTable' of the database: the source sets it by itself.");
    assertThat(JdbcDatabase.at("jdbc:h2:mem:shop").option("queryTimeout", "7").login().options())
        .isEqualTo(Map.of("queryTimeout", "7"));
  }

  @Test
  void login_asksForThePasswordEachTimeAndShowsItNowhere() {
    int[] asked = {0};
    JdbcDatabase database =
        JdbcDatabase.at("jdbc:h2:mem:shop")
            .option("trustStorePassword", "hush-0")
            .loggedInAs("loader", () -> "hush-" + ++asked[0]);

    JdbcDatabase.Login first = database.login();
    JdbcDatabase.Login second = database.login();

    assertThat(first.options()).containsEntry("password", "hush-1");
    assertThat(second.options()).containsEntry("password", "hush-2");
    assertThat(first.withoutSecrets("with hush-1 and hush-0")).isEqualTo("with *** and ***");
    assertThat(first.isShownBy(new RuntimeException("no", new RuntimeException("hush-1"))))
        .isTrue();
    assertThat(first.isShownBy(new RuntimeException("no"))).isFalse();
    assertThat(database.toString()).doesNotContain("hush");
  }
}
