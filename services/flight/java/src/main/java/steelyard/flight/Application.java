package steelyard.flight;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.ServletContextEvent;
import jakarta.servlet.ServletContextListener;
import jakarta.servlet.annotation.WebListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.AvailableSettings;
import org.hibernate.cfg.Configuration;
import steelyard.flight.domain.Aircraft;
import steelyard.flight.domain.Airline;
import steelyard.flight.domain.Airplane;
import steelyard.flight.domain.Airport;
import steelyard.flight.domain.DomainRoot;
import steelyard.flight.domain.Flight;
import steelyard.flight.domain.FlightInstance;
import steelyard.flight.domain.Money;
import steelyard.flight.domain.Passenger;
import steelyard.flight.domain.PlainDomain;
import steelyard.flight.domain.Reservation;
import steelyard.flight.domain.RootDomain;
import steelyard.flight.extension.Extensions;
import steelyard.flight.logging.FunctionalLog;
import steelyard.flight.service.Services;
import steelyard.monitor.Monitor;
import steelyard.monitor.hibernate.MonitorIntegrator;
import steelyard.monitor.hibernate.MonitorSessions;
import steelyard.monitor.jdbc.MonitorDataSource;
import steelyard.monitor.servlet.MonitorFilter;

/**
 * What the endpoint and the pages share, made when the application is deployed and closed with it.
 * What keeps it from being made then, such as a database that is away, each request meets anew.
 */
@WebListener
public class Application implements ServletContextListener {

  private static final System.Logger LOG = System.getLogger(Application.class.getName());

  private static final long WAIT_FOR_A_CONNECTION_MS = 5_000;
  private static final int CONNECTIONS = 32;
  private static final int BATCH = 50;

  private static final List<Class<?>> ENTITIES =
      List.of(
          Aircraft.class,
          Airline.class,
          Airplane.class,
          Airport.class,
          DomainRoot.class,
          Flight.class,
          FlightInstance.class,
          Money.class,
          Passenger.class,
          Reservation.class);

  private static volatile Application shared;

  private final FunctionalLog log;
  private final HikariDataSource source;
  private final SessionFactory sessions;
  private final Extensions extensions;
  private final Services services;

  /** For the container, which wants a listener. */
  public Application() {
    log = null;
    source = null;
    sessions = null;
    extensions = null;
    services = null;
  }

  Application(Settings settings) {
    extensions = Extensions.ofApplication();
    log = log(settings);
    HikariDataSource connected = null;
    SessionFactory made;
    try {
      connected = new HikariDataSource(pool(settings));
      // Where the monitor is off, nothing stands between the application and its persistence.
      boolean on = Monitor.isOn();
      made =
          configuration(settings, on ? MonitorDataSource.of(connected) : connected)
              .buildSessionFactory();
      made = on ? MonitorSessions.of(made) : made;
    } catch (RuntimeException e) {
      if (connected != null) {
        connected.close();
      }
      closeLog();
      throw e;
    }
    source = connected;
    sessions = made;
    services =
        new Services(sessions, settings.root() ? RootDomain::new : PlainDomain::new, extensions);
  }

  /** The application of this process; throws what keeps it from being made, each time anew. */
  public static synchronized Application shared() {
    if (shared == null) {
      shared = new Application(Settings.of(System.getenv()));
    }
    return shared;
  }

  /** What a request that ends has logged is told, where there is an application that logs. */
  public static void tellLog() throws IOException {
    Application now = shared;
    if (now != null) {
      now.log.tell();
    }
  }

  /** Makes an application that of this process; for tests. */
  static synchronized void share(Application application) {
    shared = application;
  }

  public Services services() {
    return services;
  }

  public FunctionalLog log() {
    return log;
  }

  public Extensions extensions() {
    return extensions;
  }

  /**
   * The monitor's filter stands before all others, at the web service alone: pages and the count
   * are not measured. On or off it takes no part in asynchronous requests, so that the stack
   * answers on the thread that a request came on.
   */
  @Override
  public void contextInitialized(ServletContextEvent event) {
    var monitor = event.getServletContext().addFilter("monitor", new MonitorFilter());
    monitor.setAsyncSupported(false);
    monitor.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/Flight");
    try {
      shared(); // before anybody asks: it takes seconds, and on a busy machine longer than they
      // wait
    } catch (RuntimeException e) {
      LOG.log(
          System.Logger.Level.WARNING, "made at the next request, since now: " + e.getMessage());
    }
  }

  @Override
  public void contextDestroyed(ServletContextEvent event) {
    synchronized (Application.class) {
      if (shared != null) {
        shared.close();
        shared = null;
      }
    }
  }

  void close() {
    sessions.close();
    source.close();
    closeLog();
  }

  private void closeLog() {
    try {
      log.close();
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the log could not be closed: " + e.getMessage());
    }
  }

  private static FunctionalLog log(Settings settings) {
    try {
      // Among the server's temporary files, which are removed with it.
      Path file = Path.of(System.getProperty("java.io.tmpdir"), "flight.log");
      return FunctionalLog.at(settings.logLevel(), file, settings.gauges());
    } catch (IOException e) {
      throw new UncheckedIOException("the application cannot log", e);
    }
  }

  private static HikariConfig pool(Settings settings) {
    var pool = new HikariConfig();
    // Named here, since a driver in a web application's own folder is not found by itself.
    pool.setDriverClassName(settings.database().driver());
    pool.setJdbcUrl(settings.url());
    pool.setUsername("steelyard");
    pool.setPassword(settings.password());
    pool.setAutoCommit(false);
    pool.setMaximumPoolSize(CONNECTIONS);
    pool.setMinimumIdle(1);
    pool.setConnectionTimeout(WAIT_FOR_A_CONNECTION_MS);
    return pool;
  }

  private static Configuration configuration(Settings settings, DataSource source) {
    var configuration = new Configuration();
    ENTITIES.forEach(configuration::addAnnotatedClass);
    configuration.getProperties().put(AvailableSettings.JAKARTA_NON_JTA_DATASOURCE, source);
    configuration.setProperty(
        AvailableSettings.CONNECTION_PROVIDER_DISABLES_AUTOCOMMIT, Boolean.TRUE.toString());
    configuration.setProperty(AvailableSettings.STATEMENT_BATCH_SIZE, String.valueOf(BATCH));
    configuration.setProperty(AvailableSettings.ORDER_INSERTS, Boolean.TRUE.toString());
    if (settings.lazyIsTheServices()) {
      configuration.setProperty(MonitorIntegrator.LAZY, MonitorIntegrator.CALLER);
    }
    boolean cached = !settings.cache().equals("off");
    configuration.setProperty(AvailableSettings.USE_SECOND_LEVEL_CACHE, Boolean.toString(cached));
    if (cached) {
      configuration.setProperty(AvailableSettings.CACHE_REGION_FACTORY, "jcache");
      configuration.setProperty(
          AvailableSettings.DEFAULT_CACHE_CONCURRENCY_STRATEGY, settings.cache());
      configuration.setProperty(AvailableSettings.JAKARTA_SHARED_CACHE_MODE, "ENABLE_SELECTIVE");
      configuration.setProperty("hibernate.javax.cache.missing_cache_strategy", "create");
    }
    return configuration;
  }
}
