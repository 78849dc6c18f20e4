package steelyard.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Entity;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.Id;
import jakarta.persistence.OneToMany;
import java.io.InputStream;
import java.io.Reader;
import java.lang.reflect.Array;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.Transaction;
import org.hibernate.cfg.Configuration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import steelyard.monitor.Records.Layer;
import steelyard.monitor.hibernate.MonitorIntegrator;
import steelyard.monitor.hibernate.MonitorSessions;
import steelyard.monitor.jdbc.MonitorDataSource;

class DatabaseTest {

  @TempDir Path folder;

  private DataSource database;

  @BeforeEach
  void start() {
    JdbcDataSource h2 = new JdbcDataSource();
    h2.setURL("jdbc:h2:mem:" + folder.getFileName() + ";DB_CLOSE_DELAY=-1");
    Monitor.start(folder);
    database = MonitorDataSource.of(h2);
  }

  @AfterEach
  void stop() {
    Monitor.stop();
  }

  @Test
  void readsAndWritesAreApart() throws Exception {
    Monitor.enter(Layers.SI);
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute("CREATE TABLE flight (number INT PRIMARY KEY)");
      try (PreparedStatement insert =
          connection.prepareStatement("INSERT INTO flight VALUES (?)")) {
        for (int i = 0; i < 3; i++) {
          insert.setInt(1, i);
          insert.executeUpdate();
        }
      }
      try (var rows = statement.executeQuery("SELECT COUNT(*) FROM flight")) {
        rows.next();
        assertThat(rows.getInt(1)).isEqualTo(3);
      }
      statement.execute(" select * from flight");
    }
    Monitor.exit(Layers.SI);

    Map<String, Layer> layers = only().layers();
    assertThat(layers.get("writes").entries()).isEqualTo(4);
    assertThat(layers.get("reads").entries()).isEqualTo(2);
    assertThat(layers.get("si").total())
        .isGreaterThan(layers.get("reads").total() + layers.get("writes").total());
  }

  /**
   * What a caller may call of a statement reaches the driver's, with the values that it was given.
   */
  @Test
  void everyCallOfAStatementReachesTheDriver() throws Exception {
    List<Object> reached = new ArrayList<>();
    InvocationHandler driver =
        (proxy, method, arguments) -> {
          reached.add(method);
          reached.addAll(List.of(arguments == null ? new Object[0] : arguments));
          return valueOf(method.getReturnType());
        };
    for (Class<?> type : List.of(Statement.class, PreparedStatement.class)) {
      Object statement = proxyOf(type, driver);
      Connection connection =
          (Connection)
              proxyOf(
                  Connection.class,
                  (proxy, method, arguments) ->
                      method.getReturnType() == type ? statement : valueOf(method.getReturnType()));
      Connection watched = MonitorDataSource.of(connection);
      Object called =
          type == Statement.class
              ? watched.createStatement()
              : watched.prepareStatement("SELECT 1");
      assertThat(called).isNotSameAs(statement);
      for (Method method : type.getMethods()) {
        if (method.getName().matches("enquote.*|isSimpleIdentifier|unwrap|isWrapperFor")
            || Modifier.isStatic(method.getModifiers())) {
          continue; // these look at the text alone, or at the object itself
        }
        Object[] values =
            Stream.of(method.getParameterTypes()).map(DatabaseTest::valueOf).toArray();
        reached.clear();
        method.invoke(called, values);
        assertThat(reached).as(method.toString()).hasSize(1 + values.length).endsWith(values);
        assertThat(((Method) reached.get(0)).getName()).isEqualTo(method.getName());
        assertThat(((Method) reached.get(0)).getParameterTypes())
            .isEqualTo(method.getParameterTypes());
      }
    }
  }

  private static Object proxyOf(Class<?> type, InvocationHandler handler) {
    return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler);
  }

  private static Object valueOf(Class<?> type) {
    if (type == void.class) {
      return null;
    }
    if (type.isInterface()) {
      return proxyOf(
          type,
          (proxy, method, arguments) -> "equals".equals(method.getName()) && proxy == arguments[0]);
    }
    if (type.isArray() || type.isPrimitive()) {
      Object one = Array.newInstance(type.isArray() ? type.componentType() : type, 1);
      return type.isArray() ? one : Array.get(one, 0);
    }
    return switch (type.getSimpleName()) {
      case "String", "Object" -> "value";
      case "BigDecimal" -> BigDecimal.TEN;
      case "Date" -> new java.sql.Date(7);
      case "Time" -> new java.sql.Time(7);
      case "Timestamp" -> new java.sql.Timestamp(7);
      case "Calendar" -> new java.util.GregorianCalendar();
      case "InputStream" -> InputStream.nullInputStream();
      case "Reader" -> Reader.nullReader();
      case "URL" -> DatabaseTest.class.getResource("DatabaseTest.class");
      case "SQLWarning" -> null;
      default -> throw new IllegalArgumentException(type.toString());
    };
  }

  @Test
  void anErrorOfTheDatabaseIsTheCallersAndKeepsNoLayerOpen() throws Exception {
    Monitor.enter(Layers.SI);
    try (Connection connection = database.getConnection();
        Statement statement = connection.createStatement()) {
      assertThatThrownBy(() -> statement.execute("SELECT * FROM nowhere"))
          .isInstanceOf(SQLException.class)
          .hasMessageContaining("NOWHERE");
    }
    Monitor.exit(Layers.SI);

    assertThat(only().violations()).isZero();
  }

  @Test
  void whatHibernateDoesIsItsLayerAndWhatItAsksTheDatabaseIsNot() throws Exception {
    try (SessionFactory factory = factory(Map.of())) {
      Monitor.enter(Layers.SI);
      try (Session session = factory.openSession()) {
        Transaction transaction = session.beginTransaction();
        Fleet fleet = new Fleet();
        fleet.planes.add(new Plane());
        fleet.planes.add(new Plane());
        session.persist(fleet);
        transaction.commit();
      }
      Monitor.exit(Layers.SI);
      Monitor.enter(Layers.WS);
      try (Session session = factory.openSession()) {
        Fleet fleet = session.createQuery("from Fleet", Fleet.class).getSingleResult();
        assertThat(fleet.planes).hasSize(2); // loaded now, by no call of the session
      }
      Monitor.exit(Layers.WS);
    }

    Monitor.stop();
    List<Records.Request> all = Records.in(folder);
    Map<String, Layer> writing =
        all.stream()
            .filter(each -> each.layers().containsKey("si"))
            .findFirst()
            .orElseThrow()
            .layers();
    Map<String, Layer> reading =
        all.stream()
            .filter(each -> each.layers().containsKey("ws"))
            .findFirst()
            .orElseThrow()
            .layers();
    assertThat(all).allMatch(each -> each.violations() == 0);
    assertThat(writing.get("writes").entries()).isGreaterThanOrEqualTo(3);
    assertThat(reading).doesNotContainKey("writes");
    assertThat(reading.get("reads").entries()).isEqualTo(2);
    for (Map<String, Layer> layers : List.of(writing, reading)) {
      long database =
          layers.entrySet().stream()
              .filter(each -> List.of("reads", "writes").contains(each.getKey()))
              .mapToLong(each -> each.getValue().total())
              .sum();
      assertThat(layers.get("hibernate").total()).isGreaterThan(database);
      assertThat(layers.get("hibernate").self() + database)
          .as("no statement is run outside the engine, lazy ones neither")
          .isEqualTo(layers.get("hibernate").total());
    }
  }

  @Test
  void whatIsLoadedWithoutACallIsTheCallersWhereHibernateIsSetToThat() throws Exception {
    try (SessionFactory factory =
        factory(Map.of(MonitorIntegrator.LAZY, MonitorIntegrator.CALLER))) {
      try (Session session = factory.openSession()) {
        Transaction transaction = session.beginTransaction();
        Fleet fleet = new Fleet();
        fleet.planes.add(new Plane());
        session.persist(fleet);
        transaction.commit();
      }
      Monitor.enter(Layers.WS);
      try (Session session = factory.openSession()) {
        Fleet fleet = session.createQuery("from Fleet", Fleet.class).getSingleResult();
        assertThat(fleet.planes).hasSize(1); // loaded now, by no call of the session
      }
      Monitor.exit(Layers.WS);
    }

    Monitor.stop();
    Map<String, Layer> layers =
        Records.in(folder).stream()
            .filter(each -> each.layers().containsKey("ws"))
            .findFirst()
            .orElseThrow()
            .layers();
    long reads = layers.get("reads").total();
    assertThat(layers.get("reads").entries()).isEqualTo(2);
    assertThat(layers.get("hibernate").self() + reads)
        .as("one of two statements is run outside the engine")
        .isGreaterThan(layers.get("hibernate").total());
  }

  private SessionFactory factory(Map<String, String> settings) {
    Configuration configuration = new Configuration();
    settings.forEach(configuration::setProperty);
    configuration.addAnnotatedClass(Fleet.class).addAnnotatedClass(Plane.class);
    configuration.getProperties().put("hibernate.connection.datasource", database);
    configuration.getProperties().put("hibernate.hbm2ddl.auto", "create");
    return MonitorSessions.of(configuration.buildSessionFactory());
  }

  private Records.Request only() throws Exception {
    Monitor.stop();
    List<Records.Request> all = Records.in(folder);
    assertThat(all).hasSize(1);
    return all.get(0);
  }

  /** Airplanes that are loaded when they are looked at. */
  @Entity(name = "Fleet")
  static class Fleet {
    @Id @GeneratedValue Long id;

    @OneToMany(cascade = CascadeType.ALL)
    List<Plane> planes = new ArrayList<>();
  }

  /** An airplane. */
  @Entity(name = "Plane")
  static class Plane {
    @Id @GeneratedValue Long id;
  }
}
