using Npgsql;

namespace Steelyard.Shop
{
    /// <summary>Reads items from the database.</summary>
    sealed class Items(NpgsqlDataSource database)
    {
        const string Columns = "SELECT id, name, keyword, price_cents, description FROM item ";

        /// <summary>The item of an id; null where there is none.</summary>
        public async Task<Item?> FindAsync(long id, CancellationToken ended)
        {
            return (await ListAsync(Columns + "WHERE id = $1", id, ended)).SingleOrDefault();
        }

        /// <summary>Those of these items that there are, by id.</summary>
        public Task<List<Item>> FindAllAsync(long[] ids, CancellationToken ended)
        {
            return ListAsync(Columns + "WHERE id = ANY($1) ORDER BY id", ids, ended);
        }

        /// <summary>The ten cheapest items of a keyword.</summary>
        public Task<List<Item>> SearchAsync(string keyword, CancellationToken ended)
        {
            return ListAsync(Columns + "WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10", keyword, ended);
        }

        async Task<List<Item>> ListAsync<T>(string query, T argument, CancellationToken ended)
        {
            await using NpgsqlCommand command = database.CreateCommand(query);
            command.Parameters.Add(new NpgsqlParameter<T> { TypedValue = argument });
            await using NpgsqlDataReader reader = await command.ExecuteReaderAsync(ended);
            var items = new List<Item>();
            while (await reader.ReadAsync(ended))
            {
                items.Add(new Item(
                    reader.GetInt64(0), reader.GetString(1), reader.GetString(2), reader.GetInt64(3), reader.GetString(4)));
            }
            return items;
        }
    }
}
