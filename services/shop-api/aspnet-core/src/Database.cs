using System.Globalization;
using Npgsql;

namespace Steelyard.Shop
{
    /// <summary>The pool of connections to PostgreSQL, as the factors `pool`, `prepared` and `isolation` say.</summary>
    static class Database
    {
        const int MostStatements = 20; // the service has fewer

        public static NpgsqlDataSource OfEnvironment()
        {
            int connections = int.Parse(Variable("STEELYARD_POOL", "16"), CultureInfo.InvariantCulture);
            var settings = new NpgsqlConnectionStringBuilder
            {
                Host = Variable("STEELYARD_HOST", "127.0.0.1"),
                Port = int.Parse(Variable("STEELYARD_PORT_DATABASE", "5432"), CultureInfo.InvariantCulture),
                Database = "steelyard",
                Username = "steelyard",
                Password = Variable("STEELYARD_PASSWORD", ""),
                SslMode = SslMode.Disable,
                Options = "-c default_transaction_isolation=" + Variable("STEELYARD_ISOLATION", "read-committed").Replace("-", "\\ "),
                MinPoolSize = connections,
                MaxPoolSize = connections,
                MaxAutoPrepare = Variable("STEELYARD_PREPARED", "on") == "off" ? 0 : MostStatements,
                AutoPrepareMinUsages = 1,
            };
            return NpgsqlDataSource.Create(settings);
        }

        /// <summary>Opens all connections of the pool: Npgsql opens one where it is asked for.</summary>
        public static async Task OpenAllAsync(NpgsqlDataSource database)
        {
            int connections = new NpgsqlConnectionStringBuilder(database.ConnectionString).MinPoolSize;
            NpgsqlConnection[] opened = await Task.WhenAll(
                Enumerable.Range(0, connections).Select(_ => database.OpenConnectionAsync().AsTask()));
            foreach (NpgsqlConnection connection in opened)
                await connection.DisposeAsync();
        }

        static string Variable(string name, string otherwise)
        {
            string? value = Environment.GetEnvironmentVariable(name);
            return string.IsNullOrEmpty(value) ? otherwise : value;
        }
    }
}
