using System;
using System.Net;
using System.Net.Sockets;
using System.Reflection;

namespace Steelyard.Common
{
    /// <summary>Keeps a connection open for any number of requests and 15 minutes of silence, and sends without delay.</summary>
    /// <remarks>The HttpListener of Mono and of .NET on Linux closes a connection after 100 requests or 15 seconds, and sends a
    /// long answer in two pieces, of which the second waits for the client's delayed acknowledgement. It has no setting for any
    /// of this (TimeoutManager is not implemented), so the private fields that count are set. .NET's have an underscore.</remarks>
    static class Connection
    {
        const BindingFlags Hidden = BindingFlags.Instance | BindingFlags.NonPublic;

        static readonly PropertyInfo OfContext = typeof(HttpListenerContext).GetProperty("Connection", Hidden);
        static readonly FieldInfo Socket = Field("sock", "_socket");
        static readonly FieldInfo Reuses = Field("reuses", "_reuses");
        static readonly FieldInfo IdleMilliseconds = Field("s_timeout", "_timeout");

        static readonly object One = 1; // the 15 seconds are set when the first request has been answered: be past that
        static readonly object FifteenMinutes = (int)TimeSpan.FromMinutes(15).TotalMilliseconds;

        public static void Keep(HttpListenerContext context)
        {
            object connection = OfContext.GetValue(context);
            if ((int)Reuses.GetValue(connection) == 0)
            {
                ((Socket)Socket.GetValue(connection)).NoDelay = true;
                IdleMilliseconds.SetValue(connection, FifteenMinutes);
            }
            Reuses.SetValue(connection, One);
        }

        static FieldInfo Field(string ofMono, string ofDotNet)
        {
            Type connection = OfContext.PropertyType;
            return connection.GetField(ofMono, Hidden) ?? connection.GetField(ofDotNet, Hidden);
        }
    }
}
