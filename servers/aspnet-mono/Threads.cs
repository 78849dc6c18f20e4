using System;
using System.Threading;

namespace Steelyard.AspNetMono
{
    /// <summary>The size of the thread pool, from the factors of server.toml.</summary>
    static class Threads
    {
        public static void Limit()
        {
            int least = Number("STEELYARD_LEAST_THREADS", Number("STEELYARD_CPUS", Environment.ProcessorCount));
            int most = Number("STEELYARD_THREADS", 100);
            if (!ThreadPool.SetMinThreads(least, least) || !ThreadPool.SetMaxThreads(most, most))
                throw new ArgumentException("the thread pool cannot have " + least + " to " + most + " threads");
        }

        static int Number(string variable, int otherwise)
        {
            string text = Environment.GetEnvironmentVariable(variable);
            return string.IsNullOrEmpty(text) ? otherwise : int.Parse(text);
        }
    }
}
