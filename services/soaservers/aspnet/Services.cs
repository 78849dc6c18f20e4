using System;
using System.Collections.Generic;
using System.IO;
using System.Web;

namespace Steelyard.SoaServers
{
    /// <summary>Every service with its address: those of environment 2, and those of the graph, which is read once.</summary>
    static class Services
    {
        public static readonly Node Single = new Node("single", new string[0], false);
        public static readonly Node Main = new Node("main", new[] { "left", "right" }, false);
        public static readonly Graph Graph = Graph.Read(Chosen());

        static readonly Dictionary<string, Node> ByAddress = new Dictionary<string, Node>
        {
            { "Left", new Node("left", new string[0], false) },
            { "Right", new Node("right", new string[0], false) },
        };

        static readonly Dictionary<string, string> Addresses = new Dictionary<string, string>();

        static Services()
        {
            for (int i = 0; i < Graph.Services.Count; i++)
                ByAddress.Add("Callee" + (i + 1), Graph.Services[i]);
            foreach (KeyValuePair<string, Node> service in ByAddress)
                Addresses.Add(service.Value.Name, service.Key);
        }

        /// <summary>The service at an address of this server; null where there is none.</summary>
        public static Node At(string address)
        {
            Node node;
            return ByAddress.TryGetValue(address, out node) ? node : null;
        }

        /// <summary>The last part of a service's address; null where there is no such service.</summary>
        public static string Address(string service)
        {
            string address;
            return Addresses.TryGetValue(service, out address) ? address : null;
        }

        /// <summary>The file that STEELYARD_GRAPH names, else the contract's own, which lies beside Web.config.</summary>
        static string Chosen()
        {
            string named = Environment.GetEnvironmentVariable("STEELYARD_GRAPH");
            return string.IsNullOrEmpty(named) ? Path.Combine(HttpRuntime.AppDomainAppPath, "graph.xml") : named;
        }
    }
}
