using System;
using System.Threading;
using System.Web;
using Steelyard.Common;

namespace Steelyard.Asmx
{
    /// <summary>Counts the service's requests, and obeys their header Steelyard-Busy-Us, before ASP.NET looks at them; named in Web.config.</summary>
    public class RequestsModule : IHttpModule
    {
        static int count;

        public static int Count
        {
            get { return count; }
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
            if (context.Request.HttpMethod != "POST" || !context.Request.FilePath.EndsWith(".asmx", StringComparison.Ordinal))
                return;
            Interlocked.Increment(ref count);
            string micros = context.Request.Headers["Steelyard-Busy-Us"];
            if (micros != null && !Busy.Spin(micros))
                throw new HttpException(400, "Steelyard-Busy-Us: " + micros + " is no number of microseconds up to a million");
        }
    }

    /// <summary>Answers with the number of the service's requests since its start.</summary>
    public class CountHandler : IHttpHandler
    {
        public bool IsReusable
        {
            get { return true; }
        }

        public void ProcessRequest(HttpContext context)
        {
            context.Response.ContentType = "text/plain";
            context.Response.Write(RequestsModule.Count);
        }
    }
}
