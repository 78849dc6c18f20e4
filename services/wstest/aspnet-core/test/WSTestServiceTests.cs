using System.Net;
using System.Text;
using System.Xml.Linq;
using Microsoft.AspNetCore.Builder;
using Steelyard.Common;
using Steelyard.WSTest;

public sealed class WSTestServiceTests : IAsyncLifetime
{
    static readonly XNamespace Soap = "http://schemas.xmlsoap.org/soap/envelope/";
    static readonly string Exchanges = Path.Combine(AppContext.BaseDirectory, "exchanges");

    readonly WebApplication app = WSTestService.Build(ServiceHost.Builder(0));
    readonly HttpClient client = new();

    public async Task InitializeAsync()
    {
        await app.StartAsync();
        client.BaseAddress = new Uri(app.Urls.First());
    }

    public async Task DisposeAsync()
    {
        client.Dispose();
        await app.DisposeAsync();
    }

    public static IEnumerable<object[]> RequestsOfTheContract()
    {
        return Directory.EnumerateFiles(Exchanges, "*.request.xml", SearchOption.AllDirectories)
            .Select(file => new object[] { Path.GetRelativePath(Exchanges, file) });
    }

    [Theory]
    [MemberData(nameof(RequestsOfTheContract))]
    public async Task EveryExchangeOfTheContractGetsItsAnswer(string request)
    {
        string file = Path.Combine(Exchanges, request);
        HttpResponseMessage answer = await PostAsync(await File.ReadAllTextAsync(file));
        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        XElement expected = BodyOf(await File.ReadAllTextAsync(file.Replace(".request.xml", ".answer.xml")));
        XElement got = BodyOf(await answer.Content.ReadAsStringAsync());
        Assert.Equal(expected.Elements().Single().Name, got.Elements().Single().Name);
        Assert.Equal(expected.Descendants().Count(), got.Descendants().Count());
    }

    [Theory]
    [InlineData("<getOrder xmlns='urn:steelyard:wstest'><orderId>2147483648</orderId></getOrder>")]
    [InlineData("<getOrder xmlns='urn:steelyard:wstest'><orderId>x</orderId></getOrder>")]
    [InlineData("<unknown xmlns='urn:steelyard:wstest'/>")]
    public async Task AWrongMessageGetsAFaultAndTheNextIsAnswered(string body)
    {
        HttpResponseMessage refused = await PostAsync(Envelope(body));
        Assert.Equal(HttpStatusCode.InternalServerError, refused.StatusCode);
        Assert.Contains("Fault", await refused.Content.ReadAsStringAsync());
        Assert.Equal(HttpStatusCode.OK, (await PostAsync(Envelope("<echoVoid xmlns='urn:steelyard:wstest'/>"))).StatusCode);
    }

    [Fact]
    public async Task OnlyRequestsOfTheServiceAreCounted()
    {
        await PostAsync(Envelope("<echoVoid xmlns='urn:steelyard:wstest'/>"));
        await client.GetAsync("/elsewhere");
        Assert.Equal("1", await client.GetStringAsync("/wstest/count"));
    }

    [Fact]
    public async Task AnotherMediaTypeIsRefused()
    {
        HttpResponseMessage refused = await client.PostAsync(WSTestService.Path, new StringContent("{}", Encoding.UTF8, "application/json"));
        Assert.Equal(HttpStatusCode.UnsupportedMediaType, refused.StatusCode);
    }

    [Fact]
    public async Task MoreThanASecondOfBusyTimeIsRefused()
    {
        var request = new HttpRequestMessage(HttpMethod.Post, WSTestService.Path);
        request.Headers.Add("Steelyard-Busy-Us", "1000001");
        Assert.Equal(HttpStatusCode.BadRequest, (await client.SendAsync(request)).StatusCode);
    }

    async Task<HttpResponseMessage> PostAsync(string envelope)
    {
        var content = new StringContent(envelope, Encoding.UTF8, "text/xml");
        content.Headers.Add("SOAPAction", "\"\"");
        return await client.PostAsync(WSTestService.Path, content);
    }

    static string Envelope(string body)
    {
        return $"<s:Envelope xmlns:s='{Soap.NamespaceName}'><s:Body>{body}</s:Body></s:Envelope>";
    }

    static XElement BodyOf(string envelope)
    {
        return XDocument.Parse(envelope).Root!.Element(Soap + "Body")!;
    }
}
