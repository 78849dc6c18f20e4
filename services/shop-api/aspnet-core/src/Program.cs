using Npgsql;
using Steelyard.Common;
using Steelyard.Shop;

int port = ServiceHost.PortOf(args);
await using NpgsqlDataSource database = Database.OfEnvironment();
await Database.OpenAllAsync(database);
await ShopApi.Build(ServiceHost.Builder(port), database).RunAsync();
