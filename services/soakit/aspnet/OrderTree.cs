using System.Collections.Generic;
using System.Xml;
using System.Xml.Schema;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>An order as a tree, which is walked element by element.</summary>
    [XmlRoot("Order", Namespace = Names.Buffet)]
    public class OrderTree : IXmlSerializable
    {
        static readonly XmlSerializer Answers = new XmlSerializer(typeof(ValidationDocument));

        readonly XmlDocument tree = new XmlDocument { PreserveWhitespace = true, XmlResolver = null };

        internal static string OfText(string text)
        {
            var order = new OrderTree();
            Texts.Read(text, reader =>
            {
                order.ReadXml(reader);
                return order;
            });
            return Texts.Written(Answers, order.Validation());
        }

        public void ReadXml(XmlReader reader)
        {
            tree.AppendChild(tree.ReadNode(reader));
        }

        public void WriteXml(XmlWriter writer)
        {
            throw new System.NotSupportedException("orders are only read");
        }

        public XmlSchema GetSchema()
        {
            return null;
        }

        /// <summary>What is wrong with the order; by rpc/literal its element has a name of the message, not its own.</summary>
        internal ValidationDocument Validation(bool named = true)
        {
            XmlElement order = tree.DocumentElement;
            if (order == null || (named && !Is(order, "Order")))
                throw new BadDocument("an Order is due");
            var rules = new OrderRules();
            foreach (XmlElement element in Children(order))
            {
                if (Is(element, "Header"))
                {
                    rules.Header(TextsIn(element));
                }
                else if (Is(element, "Parts"))
                {
                    foreach (XmlElement part in Children(element))
                        rules.Part(TextsIn(part));
                }
            }
            return rules.Validation();
        }

        static Dictionary<string, string> TextsIn(XmlElement parent)
        {
            var texts = new Dictionary<string, string>();
            foreach (XmlElement element in Children(parent))
                texts[element.LocalName] = Text(element);
            return texts;
        }

        static string Text(XmlElement element)
        {
            foreach (XmlNode node in element.ChildNodes)
            {
                if (node.NodeType == XmlNodeType.Element)
                    throw new BadDocument(element.LocalName + " holds more than a text");
            }
            return element.InnerText;
        }

        static IEnumerable<XmlElement> Children(XmlElement parent)
        {
            for (XmlNode node = parent.FirstChild; node != null; node = node.NextSibling)
            {
                var element = node as XmlElement;
                if (element != null)
                    yield return element;
                else if (node is XmlCharacterData && !(node is XmlComment) && node.Value.Trim().Length > 0)
                    throw new BadDocument("text where an element should be");
            }
        }

        static bool Is(XmlElement element, string name)
        {
            return element.LocalName == name && element.NamespaceURI == Names.Buffet;
        }
    }
}
