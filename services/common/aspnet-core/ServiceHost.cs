using System.Net;

namespace Steelyard.Common
{
    /// <summary>Builds applications on Kestrel: one address, connections that stay open, and no log line per request.</summary>
    static class ServiceHost
    {
        const long MostRequestBytes = 16 << 20;

        /// <summary>A builder whose application listens on a port of STEELYARD_HOST; 0 is any free port.</summary>
        public static WebApplicationBuilder Builder(int port)
        {
            WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
            builder.Logging.SetMinimumLevel(LogLevel.Warning);
            builder.WebHost.ConfigureKestrel(options =>
            {
                options.Listen(IPAddress.Parse(Environment.GetEnvironmentVariable("STEELYARD_HOST") ?? "127.0.0.1"), port);
                options.Limits.KeepAliveTimeout = TimeSpan.FromMinutes(15);
                options.Limits.MaxRequestBodySize = MostRequestBytes;
            });
            return builder;
        }

        /// <summary>The port, the only argument; exits with status 2 where it is none.</summary>
        public static int PortOf(string[] arguments)
        {
            if (arguments.Length == 1 && ushort.TryParse(arguments[0], out ushort port))
                return port;
            Console.Error.WriteLine("The argument is PORT.");
            Environment.Exit(2);
            return 0;
        }
    }
}
