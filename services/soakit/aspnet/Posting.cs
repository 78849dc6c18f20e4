using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Xml;
using System.Xml.Schema;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>A posting, of which only what its digest needs is kept while it is read.</summary>
    [XmlRoot("NewsPosting", Namespace = Names.News)]
    public class Posting : IXmlSerializable
    {
        static readonly XmlSerializer Answers = new XmlSerializer(typeof(NewsDigestDocument));

        internal NewsDigestDocument Digest { get; private set; }

        internal static string OfText(string text)
        {
            var posting = new Posting();
            Texts.Read(text, reader =>
            {
                if (!Is(reader, "NewsPosting"))
                    throw new BadDocument("a NewsPosting is due");
                posting.ReadXml(reader);
                return posting;
            });
            return Texts.Written(Answers, posting.Digest);
        }

        public void ReadXml(XmlReader reader)
        {
            string id = BadDocument.Present(reader.GetAttribute("id"), "id");
            var interests = new HashSet<string>();
            var kept = new List<KeptStory>();
            int stories = 0;
            foreach (string name in Children(reader))
            {
                if (name == "Interests")
                {
                    foreach (string _ in Children(reader))
                        interests.Add(reader.ReadElementContentAsString().Trim());
                }
                else if (name == "Story")
                {
                    stories++;
                    if (interests.Contains(reader.GetAttribute("topic") ?? ""))
                        kept.Add(Story(reader));
                    else
                        reader.Skip();
                }
                else
                {
                    reader.Skip();
                }
            }
            Digest = new NewsDigestDocument { Posting = id, Stories = Written(stories), Kept = kept.ToArray() };
        }

        public void WriteXml(XmlWriter writer)
        {
            throw new System.NotSupportedException("postings are only read");
        }

        public XmlSchema GetSchema()
        {
            return null;
        }

        static KeptStory Story(XmlReader reader)
        {
            var story = new KeptStory
            {
                StoryId = reader.GetAttribute("id"),
                Priority = reader.GetAttribute("priority"),
                Language = reader.GetAttribute("language", Names.Common),
                Headline = "",
            };
            int characters = 0;
            foreach (string name in Children(reader))
            {
                if (name == "Headline")
                {
                    story.Headline = reader.ReadElementContentAsString();
                }
                else if (name == "Body")
                {
                    foreach (string _ in Children(reader))
                        characters += CodePoints(reader.ReadElementContentAsString());
                }
                else
                {
                    reader.Skip();
                }
            }
            story.Characters = Written(characters);
            return story;
        }

        /// <summary>The names of an element's children while the reader stands on each, which whoever asks reads past; empty for another
        /// namespace's. In the end the reader stands behind the element.</summary>
        static IEnumerable<string> Children(XmlReader reader)
        {
            bool empty = reader.IsEmptyElement;
            reader.ReadStartElement();
            if (empty)
                yield break;
            while (reader.MoveToContent() == XmlNodeType.Element)
                yield return reader.NamespaceURI == Names.News ? reader.LocalName : "";
            reader.ReadEndElement();
        }

        static bool Is(XmlReader reader, string name)
        {
            return reader.NodeType == XmlNodeType.Element && reader.LocalName == name && reader.NamespaceURI == Names.News;
        }

        internal static int CodePoints(string text)
        {
            return text.Count(unit => !char.IsLowSurrogate(unit));
        }

        static string Written(int count)
        {
            return count.ToString(CultureInfo.InvariantCulture);
        }
    }
}
