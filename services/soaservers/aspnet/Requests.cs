using System;
using System.Collections.Concurrent;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Web;
using Steelyard.Asmx;
using Steelyard.Common;

namespace Steelyard.SoaServers
{
    /// <summary>Counts the requests of each endpoint and obeys their header Steelyard-Busy-Us, before ASP.NET looks at them.</summary>
    public class RequestsModule : IHttpModule
    {
        static readonly ConcurrentDictionary<string, StrongBox<int>> Counts = new ConcurrentDictionary<string, StrongBox<int>>();

        /// <summary>The requests at an address since the start.</summary>
        public static int Count(string address)
        {
            return Of(address).Value;
        }

        public void Init(HttpApplication application)
        {
            application.BeginRequest += (sender, _) => Begin(((HttpApplication)sender).Context);
        }

        public void Dispose()
        {
        }

        static void Begin(HttpContext context)
        {
            string file = context.Request.FilePath;
            if (context.Request.HttpMethod != "POST" || !file.EndsWith(".asmx", StringComparison.Ordinal))
                return;
            Interlocked.Increment(ref Of(Path.GetFileNameWithoutExtension(file)).Value);
            string micros = context.Request.Headers["Steelyard-Busy-Us"];
            if (micros != null && !Busy.Spin(micros))
                throw new HttpException(400, "Steelyard-Busy-Us: " + micros + " is no number of microseconds up to a million");
        }

        static StrongBox<int> Of(string address)
        {
            return Counts.GetOrAdd(address, _ => new StrongBox<int>());
        }
    }

    /// <summary>Tells the number of clients' requests, and with ?service=NAME that of a service's calls.</summary>
    public class CountHandler : IHttpHandler
    {
        public bool IsReusable
        {
            get { return true; }
        }

        public void ProcessRequest(HttpContext context)
        {
            string service = context.Request.QueryString["service"];
            string address = service == null ? "Orchestration" : Services.Address(service);
            if (address == null)
                throw new HttpException(404, "there is no service " + service);
            context.Response.ContentType = "text/plain";
            context.Response.Write(RequestsModule.Count(address));
        }
    }
}
