package steelyard.shop.vertx;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgBuilder;
import io.vertx.pgclient.PgConnectOptions;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import java.util.stream.Stream;
import steelyard.shop.Settings;

/** The one pool of connections that all event loops share. */
final class Database {

  private Database() {}

  /** The pool, once all its connections are open. */
  static Future<Pool> open(Vertx vertx, Settings settings, int eventLoops) {
    Pool pool = pool(vertx, settings, eventLoops);
    List<Future<SqlConnection>> opened =
        Stream.generate(pool::getConnection).limit(settings.pool()).toList();
    return Future.all(opened)
        .compose(
            all ->
                Future.all(all.<SqlConnection>list().stream().map(SqlConnection::close).toList()))
        .map(pool);
  }

  /** The pool, which opens its connections as they are needed and keeps them open. */
  static Pool pool(Vertx vertx, Settings settings, int eventLoops) {
    PgConnectOptions database =
        new PgConnectOptions()
            .setHost(settings.host())
            .setPort(settings.databasePort())
            .setDatabase(Settings.DATABASE)
            .setUser(Settings.USER)
            .setPassword(settings.password())
            .setCachePreparedStatements(settings.prepared())
            .addProperty("default_transaction_isolation", settings.isolation().replace('-', ' '));
    // The pool distributes its connections over all event loops.
    PoolOptions options =
        new PoolOptions().setMaxSize(settings.pool()).setEventLoopSize(eventLoops);
    return PgBuilder.pool().with(options).connectingTo(database).using(vertx).build();
  }
}
