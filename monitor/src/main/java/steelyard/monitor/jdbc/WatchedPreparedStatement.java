package steelyard.monitor.jdbc;

import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URL;
import java.sql.Array;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Date;
import java.sql.NClob;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.Ref;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.RowId;
import java.sql.SQLException;
import java.sql.SQLType;
import java.sql.SQLXML;
import java.sql.Time;
import java.sql.Timestamp;
import java.util.Calendar;
import steelyard.monitor.Layers;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;

/** A statement that was prepared with its text. */
final class WatchedPreparedStatement extends WatchedStatement implements PreparedStatement {

  private final PreparedStatement statement;
  private final String prepared;

  WatchedPreparedStatement(PreparedStatement statement, String prepared) {
    super(statement);
    this.statement = statement;
    this.prepared = prepared;
  }

  @Override
  public ResultSet executeQuery() throws SQLException {
    Monitor.enter(Layers.READS);
    try {
      return statement.executeQuery();
    } finally {
      Monitor.exit(Layers.READS);
    }
  }

  @Override
  public int executeUpdate() throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeUpdate();
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }

  @Override
  public void setNull(int index, int value) throws SQLException {
    statement.setNull(index, value);
  }

  @Override
  public void setBoolean(int index, boolean value) throws SQLException {
    statement.setBoolean(index, value);
  }

  @Override
  public void setByte(int index, byte value) throws SQLException {
    statement.setByte(index, value);
  }

  @Override
  public void setShort(int index, short value) throws SQLException {
    statement.setShort(index, value);
  }

  @Override
  public void setInt(int index, int value) throws SQLException {
    statement.setInt(index, value);
  }

  @Override
  public void setLong(int index, long value) throws SQLException {
    statement.setLong(index, value);
  }

  @Override
  public void setFloat(int index, float value) throws SQLException {
    statement.setFloat(index, value);
  }

  @Override
  public void setDouble(int index, double value) throws SQLException {
    statement.setDouble(index, value);
  }

  @Override
  public void setBigDecimal(int index, BigDecimal value) throws SQLException {
    statement.setBigDecimal(index, value);
  }

  @Override
  public void setString(int index, String value) throws SQLException {
    statement.setString(index, value);
  }

  @Override
  public void setBytes(int index, byte[] value) throws SQLException {
    statement.setBytes(index, value);
  }

  @Override
  public void setDate(int index, Date value) throws SQLException {
    statement.setDate(index, value);
  }

  @Override
  public void setTime(int index, Time value) throws SQLException {
    statement.setTime(index, value);
  }

  @Override
  public void setTimestamp(int index, Timestamp value) throws SQLException {
    statement.setTimestamp(index, value);
  }

  @Override
  public void setAsciiStream(int index, InputStream value, int further) throws SQLException {
    statement.setAsciiStream(index, value, further);
  }

  @SuppressWarnings("deprecation")
  @Override
  public void setUnicodeStream(int index, InputStream value, int further) throws SQLException {
    statement.setUnicodeStream(index, value, further);
  }

  @Override
  public void setBinaryStream(int index, InputStream value, int further) throws SQLException {
    statement.setBinaryStream(index, value, further);
  }

  @Override
  public void clearParameters() throws SQLException {
    statement.clearParameters();
  }

  @Override
  public void setObject(int index, Object value, int further) throws SQLException {
    statement.setObject(index, value, further);
  }

  @Override
  public void setObject(int index, Object value) throws SQLException {
    statement.setObject(index, value);
  }

  @Override
  public boolean execute() throws SQLException {
    Tag layer = Executions.layerOf("execute", prepared);
    Monitor.enter(layer);
    try {
      return statement.execute();
    } finally {
      Monitor.exit(layer);
    }
  }

  @Override
  public void addBatch() throws SQLException {
    statement.addBatch();
  }

  @Override
  public void setCharacterStream(int index, Reader value, int further) throws SQLException {
    statement.setCharacterStream(index, value, further);
  }

  @Override
  public void setRef(int index, Ref value) throws SQLException {
    statement.setRef(index, value);
  }

  @Override
  public void setBlob(int index, Blob value) throws SQLException {
    statement.setBlob(index, value);
  }

  @Override
  public void setClob(int index, Clob value) throws SQLException {
    statement.setClob(index, value);
  }

  @Override
  public void setArray(int index, Array value) throws SQLException {
    statement.setArray(index, value);
  }

  @Override
  public ResultSetMetaData getMetaData() throws SQLException {
    return statement.getMetaData();
  }

  @Override
  public void setDate(int index, Date value, Calendar further) throws SQLException {
    statement.setDate(index, value, further);
  }

  @Override
  public void setTime(int index, Time value, Calendar further) throws SQLException {
    statement.setTime(index, value, further);
  }

  @Override
  public void setTimestamp(int index, Timestamp value, Calendar further) throws SQLException {
    statement.setTimestamp(index, value, further);
  }

  @Override
  public void setNull(int index, int value, String further) throws SQLException {
    statement.setNull(index, value, further);
  }

  @Override
  public void setURL(int index, URL value) throws SQLException {
    statement.setURL(index, value);
  }

  @Override
  public ParameterMetaData getParameterMetaData() throws SQLException {
    return statement.getParameterMetaData();
  }

  @Override
  public void setRowId(int index, RowId value) throws SQLException {
    statement.setRowId(index, value);
  }

  @Override
  public void setNString(int index, String value) throws SQLException {
    statement.setNString(index, value);
  }

  @Override
  public void setNCharacterStream(int index, Reader value, long further) throws SQLException {
    statement.setNCharacterStream(index, value, further);
  }

  @Override
  public void setNClob(int index, NClob value) throws SQLException {
    statement.setNClob(index, value);
  }

  @Override
  public void setClob(int index, Reader value, long further) throws SQLException {
    statement.setClob(index, value, further);
  }

  @Override
  public void setBlob(int index, InputStream value, long further) throws SQLException {
    statement.setBlob(index, value, further);
  }

  @Override
  public void setNClob(int index, Reader value, long further) throws SQLException {
    statement.setNClob(index, value, further);
  }

  @Override
  public void setSQLXML(int index, SQLXML value) throws SQLException {
    statement.setSQLXML(index, value);
  }

  @Override
  public void setObject(int index, Object value, int further, int last) throws SQLException {
    statement.setObject(index, value, further, last);
  }

  @Override
  public void setAsciiStream(int index, InputStream value, long further) throws SQLException {
    statement.setAsciiStream(index, value, further);
  }

  @Override
  public void setBinaryStream(int index, InputStream value, long further) throws SQLException {
    statement.setBinaryStream(index, value, further);
  }

  @Override
  public void setCharacterStream(int index, Reader value, long further) throws SQLException {
    statement.setCharacterStream(index, value, further);
  }

  @Override
  public void setAsciiStream(int index, InputStream value) throws SQLException {
    statement.setAsciiStream(index, value);
  }

  @Override
  public void setBinaryStream(int index, InputStream value) throws SQLException {
    statement.setBinaryStream(index, value);
  }

  @Override
  public void setCharacterStream(int index, Reader value) throws SQLException {
    statement.setCharacterStream(index, value);
  }

  @Override
  public void setNCharacterStream(int index, Reader value) throws SQLException {
    statement.setNCharacterStream(index, value);
  }

  @Override
  public void setClob(int index, Reader value) throws SQLException {
    statement.setClob(index, value);
  }

  @Override
  public void setBlob(int index, InputStream value) throws SQLException {
    statement.setBlob(index, value);
  }

  @Override
  public void setNClob(int index, Reader value) throws SQLException {
    statement.setNClob(index, value);
  }

  @Override
  public void setObject(int index, Object value, SQLType further, int last) throws SQLException {
    statement.setObject(index, value, further, last);
  }

  @Override
  public void setObject(int index, Object value, SQLType further) throws SQLException {
    statement.setObject(index, value, further);
  }

  @Override
  public long executeLargeUpdate() throws SQLException {
    Monitor.enter(Layers.WRITES);
    try {
      return statement.executeLargeUpdate();
    } finally {
      Monitor.exit(Layers.WRITES);
    }
  }
}
