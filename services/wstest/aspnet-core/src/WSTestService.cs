using System.Net.Mime;
using System.ServiceModel.Channels;
using System.Xml;
using SoapCore;
using Steelyard.Common;

namespace Steelyard.WSTest
{
    /// <summary>WSTest on ASP.NET Core: SoapCore's middleware at the service's path, and the count of requests.</summary>
    public static class WSTestService
    {
        public const string Namespace = "urn:steelyard:wstest";
        public const string Path = "/wstest/WSTest";

        /// <summary>XmlSerializer calls itself for each level of a list: unbounded nesting would exhaust the stack.</summary>
        const int MostDepth = 256;

        public static WebApplication Build(WebApplicationBuilder builder)
        {
            builder.Logging.AddFilter("SoapCore", LogLevel.Critical); // it logs every refused message
            builder.Services.AddSoapCore();
            builder.Services.AddSingleton<IWSTest, WSTest>();
            WebApplication app = builder.Build();
            var requests = new Requests();
            app.UseWhen(
                context => context.Request.Path == Path && HttpMethods.IsPost(context.Request.Method),
                branch => branch.Use(requests.BeginAsync).Use(RequireXmlAsync));
            ((IApplicationBuilder)app).UseSoapEndpoint<IWSTest>(Path, EncoderOptions(), SoapSerializer.XmlSerializer);
            app.MapGet("/wstest/count", () => requests.Count);
            return app;
        }

        static SoapEncoderOptions EncoderOptions()
        {
            var quotas = new XmlDictionaryReaderQuotas();
            XmlDictionaryReaderQuotas.Max.CopyTo(quotas);
            quotas.MaxDepth = MostDepth;
            return new SoapEncoderOptions { MessageVersion = MessageVersion.Soap11, ReaderQuotas = quotas };
        }

        /// <summary>Middleware: refuses a request that is not SOAP 1.1's media type.</summary>
        static async Task RequireXmlAsync(HttpContext context, RequestDelegate next)
        {
            if (MediaTypeOf(context.Request.ContentType) == MediaTypeNames.Text.Xml)
                await next(context);
            else
                context.Response.StatusCode = StatusCodes.Status415UnsupportedMediaType;
        }

        static string? MediaTypeOf(string? contentType)
        {
            return contentType?.Split(';')[0].Trim().ToLowerInvariant();
        }
    }
}
