using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Xml;

namespace Steelyard.SoaServers
{
    /// <summary>One service, and those that it calls: in this order, or all at once.</summary>
    public class Node
    {
        public readonly string Name;
        public readonly string[] Calls;
        public readonly bool Parallel;

        public Node(string name, string[] calls, bool parallel)
        {
            Name = name;
            Calls = calls;
            Parallel = parallel;
        }
    }

    /// <summary>Who calls whom in environment 3: services in the file's order (contract/README.md).</summary>
    public class Graph
    {
        const string Namespace = "urn:steelyard:soaservers:graph";

        public readonly Node Entry;
        public readonly IList<Node> Services;

        Graph(Node entry, IList<Node> services)
        {
            Entry = entry;
            Services = services;
        }

        /// <summary>The graph in a file; an InvalidDataException names the file and says which service is wrong.</summary>
        public static Graph Read(string path)
        {
            try
            {
                return Read(Root(path));
            }
            catch (Exception e) when (e is IOException || e is XmlException || e is ArgumentException)
            {
                throw new InvalidDataException(path + " cannot be used: " + e.Message, e);
            }
        }

        static Graph Read(XmlElement root)
        {
            var services = new List<Node>();
            foreach (XmlElement element in root.GetElementsByTagName("service", Namespace))
                services.Add(Read(element, services));
            string entry = root.GetAttribute("entry");
            if (services.All(node => node.Name != entry))
                throw new ArgumentException("its entry '" + entry + "' is no service of the graph");
            var byName = services.ToDictionary(node => node.Name);
            Follow(byName[entry], byName, new List<string>(), new HashSet<string>());
            return new Graph(byName[entry], services);
        }

        static Node Read(XmlElement element, IList<Node> before)
        {
            string name = element.GetAttribute("name");
            if (before.Any(node => node.Name == name))
                throw new ArgumentException("there are two services " + name);
            string[] calls = element.GetAttribute("calls").Split((char[])null, StringSplitOptions.RemoveEmptyEntries);
            return new Node(name, calls, element.GetAttribute("order") == "parallel");
        }

        /// <summary>Walks the calls below a node once; an unknown callee or a cycle ends the walk.</summary>
        static void Follow(Node node, IDictionary<string, Node> services, IList<string> above, ISet<string> done)
        {
            if (above.Contains(node.Name))
                throw new ArgumentException(node.Name + " calls itself through " + string.Join(", ", above));
            above.Add(node.Name);
            foreach (string name in node.Calls)
            {
                Node callee;
                if (!services.TryGetValue(name, out callee))
                    throw new ArgumentException(node.Name + " calls " + name + ", which is no service of the graph");
                if (!done.Contains(name))
                    Follow(callee, services, above, done);
            }
            above.Remove(node.Name);
            done.Add(node.Name);
        }

        static XmlElement Root(string path)
        {
            var document = new XmlDocument { XmlResolver = null };
            using (XmlReader reader = XmlReader.Create(path, new XmlReaderSettings { DtdProcessing = DtdProcessing.Prohibit }))
                document.Load(reader);
            return document.DocumentElement;
        }
    }
}
