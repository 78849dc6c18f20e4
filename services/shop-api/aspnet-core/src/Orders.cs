using Npgsql;

namespace Steelyard.Shop
{
    /// <summary>Keeps and reads orders.</summary>
    sealed class Orders(NpgsqlDataSource database)
    {
        const string InsertOrder = "INSERT INTO orders (customer) VALUES ($1) RETURNING id";
        const string TakeStock =
            "UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING name, price_cents";
        const string InsertLine =
            "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents) VALUES ($1, $2, $3, $4, $5)";
        const string LinesOf =
            "SELECT customer, item_id, name, quantity, order_line.price_cents FROM orders JOIN order_line ON order_id = orders.id "
            + "JOIN item ON item.id = item_id WHERE orders.id = $1 ORDER BY line_number";

        long accepted;

        /// <summary>Orders that were kept since the start.</summary>
        public long Accepted => Interlocked.Read(ref accepted);

        /// <summary>Keeps a valid order and takes its items from the stock, in the order of their ids, in which all orders lock
        /// them; null, and nothing is kept, where an item is sold out or unknown. Begins again where PostgreSQL ends the transaction
        /// for its isolation.</summary>
        /// <remarks>It is not ended with the client's connection: an order that is kept must be counted.</remarks>
        public async Task<Order?> PlaceAsync(OrderRequest request)
        {
            while (true)
            {
                try
                {
                    return await KeepAsync(request);
                }
                catch (PostgresException ended) when (IsOvertaken(ended))
                {
                }
            }
        }

        /// <summary>Whether PostgreSQL ended a transaction because another one was committed after it began.</summary>
        public static bool IsOvertaken(PostgresException ended)
        {
            return ended.SqlState == PostgresErrorCodes.SerializationFailure;
        }

        async Task<Order?> KeepAsync(OrderRequest request)
        {
            await using NpgsqlConnection connection = await database.OpenConnectionAsync();
            await using NpgsqlTransaction transaction = await connection.BeginTransactionAsync();
            long id = await InsertAsync(connection, transaction, request.Customer);
            var lines = new List<OrderLine>();
            foreach (LineRequest wanted in request.Lines.OrderBy(line => line.Item))
            {
                OrderLine? line = await TakeAsync(connection, transaction, wanted);
                if (line == null)
                {
                    await transaction.RollbackAsync();
                    return null;
                }
                lines.Add(line);
            }
            await InsertLinesAsync(connection, transaction, id, lines);
            await transaction.CommitAsync();
            Interlocked.Increment(ref accepted);
            return new Order(id, request.Customer, lines);
        }

        /// <summary>The order of an id with its lines; null where there is none.</summary>
        public async Task<Order?> FindAsync(long id, CancellationToken ended)
        {
            await using NpgsqlCommand command = database.CreateCommand(LinesOf);
            command.Parameters.Add(Argument(id));
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync(ended);
            string customer = "";
            var lines = new List<OrderLine>();
            while (await reader.ReadAsync(ended))
            {
                customer = reader.GetString(0);
                lines.Add(new OrderLine(reader.GetInt64(1), reader.GetString(2), reader.GetInt64(3), reader.GetInt64(4)));
            }
            return lines.Count == 0 ? null : new Order(id, customer, lines);
        }

        static async Task<long> InsertAsync(NpgsqlConnection connection, NpgsqlTransaction transaction, string customer)
        {
            await using var command = new NpgsqlCommand(InsertOrder, connection, transaction);
            command.Parameters.Add(Argument(customer));
            return (long)(await command.ExecuteScalarAsync())!;
        }

        static async Task<OrderLine?> TakeAsync(NpgsqlConnection connection, NpgsqlTransaction transaction, LineRequest wanted)
        {
            await using var command = new NpgsqlCommand(TakeStock, connection, transaction);
            command.Parameters.Add(Argument(wanted.Item));
            command.Parameters.Add(Argument(wanted.Quantity));
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync();
            return await reader.ReadAsync()
                ? new OrderLine(wanted.Item, reader.GetString(0), wanted.Quantity, reader.GetInt64(1))
                : null;
        }

        static async Task InsertLinesAsync(
            NpgsqlConnection connection, NpgsqlTransaction transaction, long id, IEnumerable<OrderLine> lines)
        {
            await using var batch = new NpgsqlBatch(connection, transaction);
            int number = 0;
            foreach (OrderLine line in lines)
            {
                number++;
                batch.BatchCommands.Add(new NpgsqlBatchCommand(InsertLine)
                {
                    Parameters =
                    {
                        Argument(id), Argument(number), Argument(line.Item), Argument(line.Quantity), Argument(line.PriceCents),
                    },
                });
            }
            await batch.ExecuteNonQueryAsync();
        }

        static NpgsqlParameter<T> Argument<T>(T value)
        {
            return new NpgsqlParameter<T> { TypedValue = value };
        }
    }
}
