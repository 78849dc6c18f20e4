//! The pool of connections to PostgreSQL, and how statements run on them.

use std::env;
use std::error::Error;
use std::net::Ipv4Addr;
use std::time::Duration;

use deadpool_postgres::{
    Client, Manager, ManagerConfig, Pool, PoolError, RecyclingMethod, StatementCache, Transaction,
};
use futures_util::future::try_join_all;
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Config, NoTls, Row};

const CONNECT_PATIENCE: Duration = Duration::from_secs(30);

/// A statement, and the types of its parameters.
pub struct Sql {
    pub text: &'static str,
    pub types: &'static [Type],
}

#[derive(Clone)]
pub struct Database {
    pool: Pool,
    prepared: bool,
}

impl Database {
    /// The database that the environment names, with a pool as the factors `pool`, `prepared` and `isolation` say.
    pub fn from_environment() -> Result<Self, Box<dyn Error>> {
        let host = env::var("STEELYARD_HOST").unwrap_or(Ipv4Addr::LOCALHOST.to_string());
        let port = env::var("STEELYARD_PORT_DATABASE")
            .map_err(|_| "shop-api: STEELYARD_PORT_DATABASE is not set")?
            .parse()?;
        let connections = env::var("STEELYARD_POOL").map_or(Ok(16), |text| text.parse())?;
        let password = env::var("STEELYARD_PASSWORD").unwrap_or_default();
        let prepared = env::var("STEELYARD_PREPARED").as_deref() != Ok("off");
        let isolation = env::var("STEELYARD_ISOLATION").unwrap_or("read-committed".to_owned());
        Self::new(&host, port, &password, connections, prepared, &isolation)
    }

    /// A pool of at most so many connections, none of which is open yet.
    pub fn new(
        host: &str,
        port: u16,
        password: &str,
        connections: usize,
        prepared: bool,
        isolation: &str,
    ) -> Result<Self, Box<dyn Error>> {
        let mut config = Config::new();
        config
            .host(host)
            .port(port)
            .dbname("steelyard")
            .user("steelyard")
            .password(password)
            .options(format!(
                "-c default_transaction_isolation={}",
                isolation.replace('-', "\\ ")
            ))
            .connect_timeout(CONNECT_PATIENCE);
        let recycling_method = RecyclingMethod::Fast; // no request to the database before each use of a connection
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method });
        let pool = Pool::builder(manager).max_size(connections).build()?;
        Ok(Self { pool, prepared })
    }

    /// Opens all connections of the pool.
    pub async fn open_all(&self) -> Result<(), PoolError> {
        try_join_all((0..self.pool.status().max_size).map(|_| self.pool.get()))
            .await
            .map(drop)
    }

    /// A connection, which returns to the pool when it is dropped.
    pub async fn client(&self) -> Result<Client, PoolError> {
        self.pool.get().await
    }

    /// What runs statements on a connection.
    pub fn session<'c>(&self, client: &'c Client) -> Session<'c> {
        Session {
            client,
            statements: &client.statement_cache,
            prepared: self.prepared,
        }
    }

    /// What runs statements within a transaction.
    pub fn session_within<'c>(&self, transaction: &'c Transaction<'_>) -> Session<'c> {
        Session {
            client: transaction.client(),
            statements: &transaction.statement_cache,
            prepared: self.prepared,
        }
    }
}

/// A connection, and the statements that are prepared on it.
pub struct Session<'c> {
    client: &'c tokio_postgres::Client,
    statements: &'c StatementCache,
    prepared: bool,
}

impl Session<'_> {
    /// The rows of a statement, which is prepared the first time that a connection runs it, unless the factor forbids.
    pub async fn rows(&self, sql: &Sql, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, tokio_postgres::Error> {
        if self.prepared {
            let statement = self.statements.prepare_typed(self.client, sql.text, sql.types).await?;
            return self.client.query(&statement, values).await;
        }
        let typed: Vec<_> = values.iter().copied().zip(sql.types.iter().cloned()).collect();
        self.client.query_typed(sql.text, &typed).await
    }
}
