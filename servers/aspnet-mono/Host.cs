using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Threading;
using System.Web;
using System.Web.Hosting;
using Steelyard.Common;

namespace Steelyard.AspNetMono
{
    /// <summary>Serves one ASP.NET application on a loopback port: host.exe PORT FOLDER VIRTUAL-PATH.</summary>
    public class Host : MarshalByRefObject
    {
        // Every request has a timer (executionTimeout). Mono drops a stopped one only when the next of all timers is due, and
        // the whole request would stay in memory until then: so one is due soon.
        const int SweepMilliseconds = 100;

        readonly HttpListener listener = new HttpListener();
        readonly Dictionary<string, string> files = new Dictionary<string, string>();

        static int Main(string[] arguments)
        {
            int port;
            if (arguments.Length != 3 || !int.TryParse(arguments[0], out port))
            {
                Console.Error.WriteLine("usage: host.exe PORT FOLDER VIRTUAL-PATH");
                return 2;
            }
            var host = (Host)ApplicationHost.CreateApplicationHost(typeof(Host), arguments[2], arguments[1]);
            host.Run(port, arguments[2]);
            return 0;
        }

        /// <summary>Serves, in the application's own domain, for as long as the process lives.</summary>
        public void Run(int port, string virtualPath)
        {
            int atOnce = Threads.Provide();
            foreach (string file in Directory.GetFiles(HttpRuntime.AppDomainAppPath, "*.asmx"))
                files[virtualPath + "/" + Path.GetFileNameWithoutExtension(file)] = virtualPath + "/" + Path.GetFileName(file);
            string host = Environment.GetEnvironmentVariable("STEELYARD_HOST") ?? "127.0.0.1";
            listener.Prefixes.Add("http://" + host + ":" + port + virtualPath + "/");
            listener.IgnoreWriteExceptions = true;
            listener.Start();
            for (int i = 0; i < atOnce; i++)
                listener.BeginGetContext(Serve, null);
            using (new Timer(_ => { }, null, SweepMilliseconds, SweepMilliseconds))
                Thread.Sleep(Timeout.Infinite);
        }

        void Serve(IAsyncResult result)
        {
            HttpListenerContext context = listener.EndGetContext(result);
            Connection.Keep(context);
            HttpRuntime.ProcessRequest(new ListenerRequest(context, files));
            listener.BeginGetContext(Serve, null);
        }
    }
}
