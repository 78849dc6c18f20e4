package steelyard.shop.helidon;

import com.zaxxer.hikari.HikariConfig;
import io.helidon.logging.common.LogConfig;
import steelyard.shop.Settings;

/** The program: {@code Main PORT}. */
public final class Main {

  private Main() {}

  /** Serves until a signal ends it. */
  public static void main(String[] arguments) {
    LogConfig.configureRuntime();
    Settings settings = Settings.fromEnvironment();
    int port = Integer.parseInt(arguments[0]);
    Shop.server(settings.host(), port, HikariPool.client(poolOf(settings))).start();
  }

  /** A pool that opens all its connections at the start, and replaces none. */
  private static HikariConfig poolOf(Settings settings) {
    HikariConfig pool = new HikariConfig();
    pool.setJdbcUrl(settings.jdbcUrl());
    pool.setUsername(Settings.USER);
    pool.setPassword(settings.password());
    pool.setMaximumPoolSize(settings.pool());
    pool.setTransactionIsolation(settings.jdbcIsolation());
    pool.setMaxLifetime(0);
    pool.setInitializationFailTimeout(30_000);
    return pool;
  }
}
