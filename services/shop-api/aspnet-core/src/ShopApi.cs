using System.Globalization;
using System.Text.Json.Serialization;
using Npgsql;
using Steelyard.Common;

namespace Steelyard.Shop
{
    /// <summary>The shop's REST API as minimal APIs.</summary>
    static class ShopApi
    {
        const int LongestKeyword = 100;

        public static WebApplication Build(WebApplicationBuilder builder, NpgsqlDataSource database)
        {
            builder.Services.ConfigureHttpJsonOptions(options =>
            {
                options.SerializerOptions.NumberHandling = JsonNumberHandling.Strict; // no number in quotes
                options.SerializerOptions.PropertyNameCaseInsensitive = false;
            });
            builder.Services.Configure<RouteHandlerOptions>(options => options.ThrowOnBadRequest = true);
            builder.Services.AddSingleton(database);
            builder.Services.AddSingleton<Items>();
            builder.Services.AddSingleton<Orders>();
            WebApplication app = builder.Build();
            var requests = new Requests();
            app.UseRouting();
            app.Use(requests.BeginCountedAsync);
            app.Use(Refusals.AnswerUnreadableAsync);
            Map(app.MapGroup("/shop").WithMetadata(new Counted()));
            app.MapGet("/shop/count", () => requests.Count);
            app.MapGet("/shop/accepted", (Orders orders) => orders.Accepted.ToString(CultureInfo.InvariantCulture));
            return app;
        }

        static void Map(RouteGroupBuilder shop)
        {
            shop.MapPost("/echo", (Message message) => message.IsValid() ? Results.Ok(message) : Refusals.NotValid);
            shop.MapGet("/items/{id}", ItemAsync);
            shop.MapGet("/items", ItemsAsync);
            shop.MapGet("/search", SearchAsync);
            shop.MapPost("/orders", PlaceOrderAsync);
            shop.MapGet("/orders/{id}", OrderAsync);
            shop.MapGet("/static", () => Welcome.Constant);
        }

        static async Task<IResult> ItemAsync(string id, Items items, CancellationToken ended)
        {
            if (Texts.Positive(id) is not { } number)
                return Refusals.NotValid;
            return await items.FindAsync(number, ended) is { } item ? Results.Ok(item) : Refusals.NotFound;
        }

        static async Task<IResult> ItemsAsync(string? ids, Items items, CancellationToken ended)
        {
            return Texts.Positives(ids) is { } numbers
                ? Results.Ok(new ItemList(await items.FindAllAsync(numbers, ended)))
                : Refusals.NotValid;
        }

        static async Task<IResult> SearchAsync(string? q, Items items, CancellationToken ended)
        {
            return q != null && Texts.IsText(q, 1, LongestKeyword)
                ? Results.Ok(new ItemList(await items.SearchAsync(q, ended)))
                : Refusals.NotValid;
        }

        static async Task<IResult> PlaceOrderAsync(OrderRequest request, Orders orders)
        {
            if (!request.IsValid())
                return Refusals.NotValid;
            return await orders.PlaceAsync(request) is { } kept
                ? Results.Created($"/shop/orders/{kept.Id}", new PlacedOrder(kept.Customer, kept.Lines))
                : Refusals.OutOfStock;
        }

        static async Task<IResult> OrderAsync(string id, Orders orders, CancellationToken ended)
        {
            if (Texts.Positive(id) is not { } number)
                return Refusals.NotValid;
            return await orders.FindAsync(number, ended) is { } order ? Results.Ok(order) : Refusals.NotFound;
        }
    }
}
