package steelyard.shop.helidon;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbClientException;
import io.helidon.dbclient.jdbc.JdbcClientBuilder;
import io.helidon.dbclient.jdbc.JdbcConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** HikariCP behind Helidon's DbClient. */
final class HikariPool implements JdbcConnectionPool {

  private final DataSource connections;

  private HikariPool(DataSource connections) {
    this.connections = connections;
  }

  /** A client with a pool of its own. */
  static DbClient client(HikariConfig pool) {
    return JdbcClientBuilder.create()
        .connectionPool(new HikariPool(new HikariDataSource(pool)))
        .build();
  }

  @Override
  public Connection connection() {
    try {
      return connections.getConnection();
    } catch (SQLException e) {
      throw new DbClientException("no connection to the database", e);
    }
  }
}
