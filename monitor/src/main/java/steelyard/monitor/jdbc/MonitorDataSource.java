package steelyard.monitor.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.Statement;
import javax.sql.DataSource;
import steelyard.monitor.Monitor;
import steelyard.monitor.Tag;

/**
 * Reads and writes of a database, apart: the time of each statement's execution, which is a read
 * where it begins with SELECT, WITH, VALUES or TABLE or is asked for a result, and a write where it
 * changes rows.
 *
 * <p>A commit is neither: it belongs to the layer that asks for it. Rows that a driver fetches
 * after the execution, as the result is read, belong to the layer that reads them.
 */
public final class MonitorDataSource {

  private MonitorDataSource() {}

  /** A data source whose connections are watched. */
  public static DataSource of(DataSource source) {
    return proxy(DataSource.class, new Watched(source));
  }

  /** A connection whose statements are watched. */
  public static Connection of(Connection connection) {
    return proxy(Connection.class, new Watched(connection));
  }

  private static <T> T proxy(Class<T> declared, InvocationHandler handler) {
    return declared.cast(
        Proxy.newProxyInstance(
            MonitorDataSource.class.getClassLoader(), new Class<?>[] {declared}, handler));
  }

  private static Object call(Object object, Method method, Object[] arguments) throws Throwable {
    try {
      return method.invoke(object, arguments);
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }

  /** A data source or a connection: what it gives of connections and statements is watched too. */
  private record Watched(Object object) implements InvocationHandler {

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      if (method.getName().equals("equals") && method.getDeclaringClass() == Object.class) {
        return proxy == arguments[0];
      }
      Object given = call(object, method, arguments);
      if (!Monitor.isOn()) {
        return given;
      }
      String sql = arguments != null && arguments[0] instanceof String text ? text : null;
      if (given instanceof CallableStatement && method.getReturnType() == CallableStatement.class) {
        return proxy(CallableStatement.class, new Executed(given, sql));
      }
      if (given instanceof PreparedStatement prepared
          && method.getReturnType() == PreparedStatement.class) {
        return new WatchedPreparedStatement(prepared, sql);
      }
      if (given instanceof Statement statement && method.getReturnType() == Statement.class) {
        return new WatchedStatement(statement);
      }
      if (given instanceof Connection connection && method.getReturnType() == Connection.class) {
        return of(connection);
      }
      return given;
    }
  }

  /** A call of a stored procedure, with its text: too rare for its calls to be written out. */
  private record Executed(Object statement, String prepared) implements InvocationHandler {

    @Override
    public Object invoke(Object proxy, Method method, Object[] arguments) throws Throwable {
      if (method.getName().equals("equals") && method.getDeclaringClass() == Object.class) {
        return proxy == arguments[0];
      }
      if (!method.getName().startsWith("execute")) {
        return call(statement, method, arguments);
      }
      String sql = arguments != null && arguments[0] instanceof String text ? text : prepared;
      Tag layer = Executions.layerOf(method.getName(), sql);
      Monitor.enter(layer);
      try {
        return call(statement, method, arguments);
      } finally {
        Monitor.exit(layer);
      }
    }
  }
}
