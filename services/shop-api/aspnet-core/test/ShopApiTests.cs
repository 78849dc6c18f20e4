using System.Net;
using System.Text;
using System.Text.Json.Nodes;
using Microsoft.AspNetCore.Builder;
using Npgsql;
using Steelyard.Common;
using Steelyard.Shop;

/// <summary>The API without a database: what it refuses and what needs none.</summary>
public sealed class ShopApiTests : IAsyncLifetime
{
    readonly NpgsqlDataSource database = NpgsqlDataSource.Create("Host=/nowhere;Username=nobody");
    readonly HttpClient client = new();
    readonly WebApplication app;

    public ShopApiTests()
    {
        app = ShopApi.Build(ServiceHost.Builder(0), database);
    }

    public async Task InitializeAsync()
    {
        await app.StartAsync();
        client.BaseAddress = new Uri(app.Urls.First());
    }

    public async Task DisposeAsync()
    {
        client.Dispose();
        await app.DisposeAsync();
        await database.DisposeAsync();
    }

    [Theory]
    [InlineData("/shop/items/0")]
    [InlineData("/shop/items/-1")]
    [InlineData("/shop/items/+1")]
    [InlineData("/shop/items/9223372036854775808")]
    [InlineData("/shop/items")]
    [InlineData("/shop/items?ids=")]
    [InlineData("/shop/items?ids=1,,2")]
    [InlineData("/shop/search")]
    [InlineData("/shop/search?q=")]
    [InlineData("/shop/search?q=%00")]
    [InlineData("/shop/orders/x")]
    public async Task APathOrAQueryThatIsNotValidIsRefused(string path)
    {
        await AssertNotValid(await client.GetAsync(path));
    }

    [Theory]
    [InlineData("40001", true)]
    [InlineData("40P01", false)]
    [InlineData("23505", false)]
    public void AnOrderThatAnotherOneOvertookBeginsAgain(string state, bool again)
    {
        Assert.Equal(again, Orders.IsOvertaken(new PostgresException("ended", "ERROR", "ERROR", state)));
    }

    [Fact]
    public async Task MoreThanAHundredIdsAreRefused()
    {
        await AssertNotValid(await client.GetAsync("/shop/items?ids=" + string.Join(',', Enumerable.Range(1, 101))));
    }

    [Theory]
    [InlineData("""{"customer": "c", "lines": [{"item": 1, "quantity": 1}, {"item": 1, "quantity": 1}]}""")]
    [InlineData("""{"customer": "\u0000", "lines": [{"item": 1, "quantity": 1}]}""")]
    [InlineData("""{"customer": "c", "lines": [{"item": 1, "quantity": 1.5}]}""")]
    [InlineData("""{"customer": "c", "lines": [{"item": "1", "quantity": 1}]}""")]
    [InlineData("""{"customer": "c", "lines": [null]}""")]
    [InlineData("""{"customer": "c", "lines": []}""")]
    [InlineData("""{"customer": null, "lines": [{"item": 1, "quantity": 1}]}""")]
    [InlineData("""{"lines": [{"item": 1, "quantity": 1}]}""")]
    public async Task AnOrderThatIsNotValidIsRefusedBeforeTheDatabase(string body)
    {
        await AssertNotValid(await PostAsync("/shop/orders", body));
    }

    public static IEnumerable<object[]> BadRequests()
    {
        return Directory.EnumerateFiles(Path.Combine(AppContext.BaseDirectory, "bad")).Select(file => new object[] { Path.GetFileName(file) });
    }

    [Theory]
    [MemberData(nameof(BadRequests))]
    public async Task EveryBadRequestOfTheContractIsRefused(string name)
    {
        string body = await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "bad", name));
        await AssertNotValid(await PostAsync("/shop/echo", body));
    }

    public static IEnumerable<object[]> EchoExchanges()
    {
        return Directory.EnumerateFiles(Path.Combine(AppContext.BaseDirectory, "echo")).Select(file => new object[] { Path.GetFileName(file) });
    }

    [Theory]
    [MemberData(nameof(EchoExchanges))]
    public async Task EveryEchoOfTheContractGetsItsAnswer(string name)
    {
        JsonNode exchange = JsonNode.Parse(await File.ReadAllTextAsync(Path.Combine(AppContext.BaseDirectory, "echo", name)))!;
        HttpResponseMessage answer = await PostAsync("/shop/echo", (string)exchange["request"]!);
        Assert.Equal((int?)exchange["status"] ?? 200, (int)answer.StatusCode);
        JsonNode? got = JsonNode.Parse(await answer.Content.ReadAsStringAsync());
        Assert.True(JsonNode.DeepEquals(JsonNode.Parse((string)exchange["answer"]!), got), got?.ToJsonString());
    }

    [Fact]
    public async Task AnotherMediaTypeIsRefused()
    {
        HttpResponseMessage refused = await client.PostAsync("/shop/echo", new StringContent("{}", Encoding.UTF8, "text/plain"));
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, refused.StatusCode);
    }

    [Fact]
    public async Task OnlyRequestsOfOperationsAreCounted()
    {
        await client.GetAsync("/shop/static");
        await client.GetAsync("/shop/items/0");
        await client.GetAsync("/shop/elsewhere");
        await client.GetAsync("/shop/count");
        Assert.Equal("2", await client.GetStringAsync("/shop/count"));
        Assert.Equal("0", await client.GetStringAsync("/shop/accepted"));
    }

    [Theory]
    [InlineData("100.5", HttpStatusCode.OK)]
    [InlineData("1000001", HttpStatusCode.BadRequest)]
    [InlineData("1e3", HttpStatusCode.BadRequest)]
    public async Task TheBusyHeaderIsObeyedOrRefused(string micros, HttpStatusCode status)
    {
        var request = new HttpRequestMessage(HttpMethod.Get, "/shop/static");
        request.Headers.Add("Steelyard-Busy-Us", micros);
        Assert.Equal(status, (await client.SendAsync(request)).StatusCode);
    }

    [Theory]
    [InlineData("😀", 1, true)]
    [InlineData("😀😀", 1, false)]
    [InlineData("", 1, false)]
    public void LengthsAreInCodePoints(string text, int most, bool valid)
    {
        Assert.Equal(valid, Texts.IsText(text, 1, most));
    }

    Task<HttpResponseMessage> PostAsync(string path, string body)
    {
        return client.PostAsync(path, new StringContent(body, Encoding.UTF8, "application/json"));
    }

    static async Task AssertNotValid(HttpResponseMessage answer)
    {
        Assert.Equal(HttpStatusCode.BadRequest, answer.StatusCode);
        Assert.Equal("not valid", (string?)JsonNode.Parse(await answer.Content.ReadAsStringAsync())!["error"]);
    }
}
