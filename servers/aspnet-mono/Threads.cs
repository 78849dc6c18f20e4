using System;
using System.Threading;

namespace Steelyard.AspNetMono
{
    /// <summary>The thread pool, from the factors of server.toml.</summary>
    static class Threads
    {
        // The pool must never be exhausted: Mono's ASP.NET would then queue requests, and may forget them.
        const int OfListener = 1000;

        /// <summary>How many requests to serve at once, for which the pool has a thread each.</summary>
        public static int Provide()
        {
            int least = Number("STEELYARD_LEAST_THREADS", Number("STEELYARD_CPUS", Environment.ProcessorCount));
            int most = Number("STEELYARD_THREADS", 200);
            if (!ThreadPool.SetMaxThreads(most + OfListener, most + OfListener) || !ThreadPool.SetMinThreads(least, least))
                throw new ArgumentException("the thread pool cannot have " + least + " to " + most + " threads");
            return most;
        }

        static int Number(string variable, int otherwise)
        {
            string text = Environment.GetEnvironmentVariable(variable);
            return string.IsNullOrEmpty(text) ? otherwise : int.Parse(text);
        }
    }
}
