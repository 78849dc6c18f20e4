package steelyard.shop.jersey;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.util.HashMap;
import java.util.Map;
import steelyard.shop.Settings;

/** The shop's database: a pool of connections, and Hibernate on it. */
final class Database implements AutoCloseable {

  private final HikariDataSource pool;
  private final EntityManagerFactory factory;

  /** Connects; `properties` are further ones of the persistence unit. */
  private Database(HikariConfig connections, Map<String, Object> properties) {
    pool = new HikariDataSource(connections);
    Map<String, Object> all = new HashMap<>(properties);
    all.put("jakarta.persistence.nonJtaDataSource", pool);
    factory = Persistence.createEntityManagerFactory("shop", all);
  }

  static Database connect(HikariConfig connections, Map<String, Object> properties) {
    return new Database(connections, properties);
  }

  /** Opens as many connections as the settings say, and keeps them. */
  static Database connect(Settings settings) {
    HikariConfig connections = new HikariConfig();
    connections.setDriverClassName("org.postgresql.Driver");
    connections.setJdbcUrl(settings.jdbcUrl());
    connections.setUsername(Settings.USER);
    connections.setPassword(settings.password());
    connections.setMaximumPoolSize(settings.pool()); // and, as shipped, the fewest that are idle
    connections.setTransactionIsolation(settings.jdbcIsolation());
    return new Database(connections, Map.of());
  }

  EntityManager entityManager() {
    return factory.createEntityManager();
  }

  @Override
  public void close() {
    factory.close();
    pool.close();
  }
}
