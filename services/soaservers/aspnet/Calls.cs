using System;
using System.Globalization;
using System.Net;
using System.Threading;
using Steelyard.SoaServers.Contract;

namespace Steelyard.SoaServers
{
    /// <summary>Where callees are, how long a call may take, and what the process needs for many calls at once.</summary>
    static class Calls
    {
        // "Performance issues when you make calls to web services from an ASP.NET application" (article 821268): a call needs one
        // thread that waits and one for the answer. Mono has one pool for both, which would grow by two threads a second.
        const int ThreadsOfCall = 2;

        /// <summary>Milliseconds that a call may take; null leaves it to the proxy's own default.</summary>
        public static readonly int? Timeout = Milliseconds(Setting("STEELYARD_CALL_TIMEOUT", "none"));

        static readonly string Base = CalleesOn(Setting("STEELYARD_PORT_CALLEE", "") == "" ? "SERVER" : "CALLEE");

        static Calls()
        {
            int atOnce = int.Parse(Setting("STEELYARD_THREADS", "200"));
            ServicePointManager.DefaultConnectionLimit = atOnce;
            ServicePointManager.UseNagleAlgorithm = false;
            ServicePointManager.Expect100Continue = false;
            WebRequest.DefaultWebProxy = null;
            if (Setting("STEELYARD_LEAST_THREADS", "") == "")
                ThreadPool.SetMinThreads(ThreadsOfCall * atOnce, ThreadsOfCall * atOnce);
        }

        /// <summary>A proxy of the service of that name, for one call.</summary>
        public static CalleeBinding To(string service)
        {
            var proxy = new CalleeBinding { Url = Base + Services.Address(service) };
            if (Timeout.HasValue)
                proxy.Timeout = Timeout.Value;
            return proxy;
        }

        static string CalleesOn(string role)
        {
            string path = Setting("STEELYARD_PATH_" + role, "/soaservers/Orchestration");
            string port = Setting("STEELYARD_PORT_" + role, "8080");
            return "http://" + Setting("STEELYARD_HOST", "127.0.0.1") + ":" + port + path.Substring(0, path.LastIndexOf('/') + 1);
        }

        static int? Milliseconds(string seconds)
        {
            decimal number;
            if (seconds == "none")
                return null;
            if (!decimal.TryParse(seconds, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out number))
                throw new FormatException("STEELYARD_CALL_TIMEOUT is '" + seconds + "', neither none nor seconds");
            return (int)(number * 1000);
        }

        static string Setting(string variable, string otherwise)
        {
            string text = Environment.GetEnvironmentVariable(variable);
            return string.IsNullOrEmpty(text) ? otherwise : text;
        }
    }
}
