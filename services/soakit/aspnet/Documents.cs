using System;
using System.IO;
using System.Xml;
using System.Xml.Serialization;

namespace Steelyard.Soakit
{
    static class Names
    {
        public const string Service = "urn:steelyard:soakit";
        public const string Common = "urn:steelyard:soakit:common";
        public const string Order = "urn:steelyard:soakit:order";
        public const string News = "urn:steelyard:soakit:news";
        public const string Buffet = "urn:steelyard:soakit:buffet";
    }

    /// <summary>The document cannot be answered: a fault is.</summary>
    class BadDocument : FormatException
    {
        public BadDocument(string message)
            : base(message)
        {
        }

        /// <summary>Gives the value back, or throws where there is none.</summary>
        public static T Present<T>(T value, string name)
            where T : class
        {
            if (value == null)
                throw new BadDocument("the document lacks a " + name);
            return value;
        }
    }

    /// <summary>Reads XML that has no document type and nests no deeper than a document may.</summary>
    class DocumentReader : XmlTextReader
    {
        const int MostDepth = 100;

        public DocumentReader(TextReader from)
            : base(from)
        {
            Bound();
        }

        public DocumentReader(Stream from)
            : base(from)
        {
            Bound();
        }

        public override bool Read()
        {
            bool more = base.Read();
            if (more && Depth > MostDepth)
                throw new BadDocument("elements nest more than " + MostDepth + " deep");
            return more;
        }

        /// <summary>By Read, so that what is passed over is bounded, too.</summary>
        public override void Skip()
        {
            MoveToElement();
            if (NodeType == XmlNodeType.Element && !IsEmptyElement)
            {
                int depth = Depth;
                while (Read() && Depth > depth)
                {
                }
            }
            Read();
        }

        void Bound()
        {
            DtdProcessing = DtdProcessing.Prohibit;
            XmlResolver = null;
            Normalization = true;
        }
    }

    /// <summary>Documents that come as strings of a message, and answers that go as such.</summary>
    static class Texts
    {
        static readonly XmlWriterSettings Plain = new XmlWriterSettings
        {
            OmitXmlDeclaration = true,
            NewLineHandling = NewLineHandling.Entitize, // a carriage return as such would come back as a line feed
        };

        /// <summary>What `read` makes of the document, beside which the text may hold nothing.</summary>
        public static T Read<T>(string text, Func<XmlReader, T> read)
        {
            using (var reader = new DocumentReader(new StringReader(BadDocument.Present(text, "text"))))
            {
                reader.MoveToContent();
                T made = read(reader);
                if (reader.MoveToContent() != XmlNodeType.None)
                    throw new BadDocument("the text holds more than a document");
                return made;
            }
        }

        public static string Written(XmlSerializer serializer, object document)
        {
            var text = new StringWriter();
            using (XmlWriter writer = XmlWriter.Create(text, Plain))
                serializer.Serialize(writer, document);
            return text.ToString();
        }
    }
}
