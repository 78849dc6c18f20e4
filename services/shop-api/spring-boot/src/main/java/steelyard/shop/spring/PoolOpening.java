package steelyard.shop.spring;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.context.SmartLifecycle;
import org.springframework.stereotype.Component;

/**
 * Opens the pool of connections before the server listens. HikariCP would open it for the first who
 * needs a connection. A training run for the JVM's cache ends before this, and needs no database.
 */
@Component
class PoolOpening implements SmartLifecycle {

  private final DataSource pool;
  private volatile boolean running;

  PoolOpening(DataSource pool) {
    this.pool = pool;
  }

  @Override
  public void start() {
    try (var connection = pool.getConnection()) {
      running = connection.isValid(0);
    } catch (SQLException e) {
      throw new IllegalStateException("the database cannot be reached", e);
    }
  }

  @Override
  public void stop() {
    running = false; // Spring closes the pool itself
  }

  @Override
  public boolean isRunning() {
    return running;
  }

  @Override
  public int getPhase() {
    return 0; // before the web server, which starts last of all
  }
}
