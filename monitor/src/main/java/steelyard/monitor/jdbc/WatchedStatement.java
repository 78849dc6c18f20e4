package steelyard.monitor.jdbc;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;

/**
 * A statement whose executions are timed; all else goes straight to it. Calls are written out,
 * since a reflective proxy costs more than the clock on each value that is set.
 */
class WatchedStatement implements Statement {

  private final Statement statement;

  WatchedStatement(Statement statement) {
    this.statement = statement;
  }

  @Override
  public ResultSet executeQuery(String sql) throws SQLException {
    Monitor.enter(Layers.READS);
    try {
      return statement.executeQuery(sql);
    } finally {
      Monitor.exit(Layers.READS);
    }
  }

  @Override
  public int executeUpdate(String sql) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeUpdate(sql);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public void close() throws SQLException {
    statement.close();
  }

  @Override
  public int getMaxFieldSize() throws SQLException {
    return statement.getMaxFieldSize();
  }

  @Override
  public void setMaxFieldSize(int value) throws SQLException {
    statement.setMaxFieldSize(value);
  }

  @Override
  public int getMaxRows() throws SQLException {
    return statement.getMaxRows();
  }

  @Override
  public void setMaxRows(int value) throws SQLException {
    statement.setMaxRows(value);
  }

  @Override
  public void setEscapeProcessing(boolean value) throws SQLException {
    statement.setEscapeProcessing(value);
  }

  @Override
  public int getQueryTimeout() throws SQLException {
    return statement.getQueryTimeout();
  }

  @Override
  public void setQueryTimeout(int value) throws SQLException {
    statement.setQueryTimeout(value);
  }

  @Override
  public void cancel() throws SQLException {
    statement.cancel();
  }

  @Override
  public SQLWarning getWarnings() throws SQLException {
    return statement.getWarnings();
  }

  @Override
  public void clearWarnings() throws SQLException {
    statement.clearWarnings();
  }

  @Override
  public void setCursorName(String value) throws SQLException {
    statement.setCursorName(value);
  }

  @Override
  public boolean execute(String sql) throws SQLException {
    Tag layer = Executions.layerOf("execute", sql);
    Monitor.enter(layer);
    try {
      return statement.execute(sql);
    } finally {
      Monitor.exit(layer);
    }
  }

  @Override
  public ResultSet getResultSet() throws SQLException {
    return statement.getResultSet();
  }

  @Override
  public int getUpdateCount() throws SQLException {
    return statement.getUpdateCount();
  }

  @Override
  public boolean getMoreResults() throws SQLException {
    return statement.getMoreResults();
  }

  @Override
  public void setFetchDirection(int value) throws SQLException {
    statement.setFetchDirection(value);
  }

  @Override
  public int getFetchDirection() throws SQLException {
    return statement.getFetchDirection();
  }

  @Override
  public void setFetchSize(int value) throws SQLException {
    statement.setFetchSize(value);
  }

  @Override
  public int getFetchSize() throws SQLException {
    return statement.getFetchSize();
  }

  @Override
  public int getResultSetConcurrency() throws SQLException {
    return statement.getResultSetConcurrency();
  }

  @Override
  public int getResultSetType() throws SQLException {
    return statement.getResultSetType();
  }

  @Override
  public void addBatch(String value) throws SQLException {
    statement.addBatch(value);
  }

  @Override
  public void clearBatch() throws SQLException {
    statement.clearBatch();
  }

  @Override
  public int[] executeBatch() throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeBatch();
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public Connection getConnection() throws SQLException {
    return statement.getConnection();
  }

  @Override
  public boolean getMoreResults(int value) throws SQLException {
    return statement.getMoreResults(value);
  }

  @Override
  public ResultSet getGeneratedKeys() throws SQLException {
    return statement.getGeneratedKeys();
  }

  @Override
  public int executeUpdate(String sql, int keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public int executeUpdate(String sql, int[] keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public int executeUpdate(String sql, String[] keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public boolean execute(String sql, int keys) throws SQLException {
    Tag layer = Executions.layerOf("execute", sql);
    Monitor.enter(layer);
    try {
      return statement.execute(sql, keys);
    } finally {
      Monitor.exit(layer);
    }
  }

  @Override
  public boolean execute(String sql, int[] keys) throws SQLException {
    Tag layer = Executions.layerOf("execute", sql);
    Monitor.enter(layer);
    try {
      return statement.execute(sql, keys);
    } finally {
      Monitor.exit(layer);
    }
  }

  @Override
  public boolean execute(String sql, String[] keys) throws SQLException {
    Tag layer = Executions.layerOf("execute", sql);
    Monitor.enter(layer);
    try {
      return statement.execute(sql, keys);
    } finally {
      Monitor.exit(layer);
    }
  }

  @Override
  public int getResultSetHoldability() throws SQLException {
    return statement.getResultSetHoldability();
  }

  @Override
  public boolean isClosed() throws SQLException {
    return statement.isClosed();
  }

  @Override
  public void setPoolable(boolean value) throws SQLException {
    statement.setPoolable(value);
  }

  @Override
  public boolean isPoolable() throws SQLException {
    return statement.isPoolable();
  }

  @Override
  public void closeOnCompletion() throws SQLException {
    statement.closeOnCompletion();
  }

  @Override
  public boolean isCloseOnCompletion() throws SQLException {
    return statement.isCloseOnCompletion();
  }

  @Override
  public long getLargeUpdateCount() throws SQLException {
    return statement.getLargeUpdateCount();
  }

  @Override
  public void setLargeMaxRows(long value) throws SQLException {
    statement.setLargeMaxRows(value);
  }

  @Override
  public long getLargeMaxRows() throws SQLException {
    return statement.getLargeMaxRows();
  }

  @Override
  public long[] executeLargeBatch() throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeBatch();
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public long executeLargeUpdate(String sql) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeUpdate(sql);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public long executeLargeUpdate(String sql, int keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public long executeLargeUpdate(String sql, int[] keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public long executeLargeUpdate(String sql, String[] keys) throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeUpdate(sql, keys);
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public <T> T unwrap(Class<T> type) throws SQLException {
    return type.isInstance(this) ? type.cast(this) : statement.unwrap(type);
  }

  @Override
  public boolean isWrapperFor(Class<?> type) throws SQLException {
    return type.isInstance(this) || statement.isWrapperFor(type);
  }

  @Override
  public String toString() {
    return statement.toString();
  }
}
