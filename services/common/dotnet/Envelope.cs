using System;
using System.Collections.Generic;
using System.IO;
using System.Text;
using System.Xml;

namespace Steelyard.Common
{
    /// <summary>A refusal that a SOAP fault reports, with the code of SOAP 1.1, section 4.4.1.</summary>
    class SoapException : Exception
    {
        public readonly string Code;

        public SoapException(string code, string reason)
            : base(reason)
        {
            Code = code;
        }
    }

    /// <summary>Reads and writes envelopes of SOAP 1.1. What a message lacks or has too much of is an XmlException.</summary>
    static class Envelope
    {
        public const string Namespace = "http://schemas.xmlsoap.org/soap/envelope/";
        const string NextActor = "http://schemas.xmlsoap.org/soap/actor/next";

        static readonly XmlWriterSettings Written = new XmlWriterSettings
        {
            Encoding = new UTF8Encoding(false),
            NewLineHandling = NewLineHandling.Entitize, // as a plain character, a reader would take a carriage return for a line feed
        };

        /// <summary>The answer to an envelope: what its operation, chosen by the name of the body's element, makes of the body.</summary>
        public static MemoryStream Answer(IReadOnlyDictionary<XmlQualifiedName, Operation> operations, XmlReader request)
        {
            EnterBody(request);
            var name = new XmlQualifiedName(request.LocalName, request.NamespaceURI);
            Operation operation;
            if (request.NodeType != XmlNodeType.Element || !operations.TryGetValue(name, out operation))
                throw new XmlException("no operation " + name);
            object answer = operation.Answer(request);
            Leave(request);
            return Write(writer => operation.Write(writer, answer));
        }

        public static MemoryStream Fault(string code, string reason)
        {
            return Write(writer =>
            {
                writer.WriteStartElement("soap", "Fault", Namespace);
                writer.WriteElementString("faultcode", "soap:" + code);
                writer.WriteElementString("faultstring", reason);
                writer.WriteEndElement();
            });
        }

        static MemoryStream Write(Action<XmlWriter> writeBody)
        {
            var stream = new MemoryStream();
            using (XmlWriter writer = XmlWriter.Create(stream, Written))
            {
                writer.WriteStartElement("soap", "Envelope", Namespace);
                writer.WriteStartElement("soap", "Body", Namespace);
                writeBody(writer);
                writer.WriteEndElement();
                writer.WriteEndElement();
            }
            return stream;
        }

        static void EnterBody(XmlReader reader)
        {
            reader.MoveToContent();
            if (reader.LocalName != "Envelope" || reader.NamespaceURI != Namespace)
                throw new SoapException("VersionMismatch", "not a SOAP 1.1 envelope");
            Enter(reader);
            if (reader.IsStartElement("Header", Namespace))
                PassHeaders(reader);
            if (!reader.IsStartElement("Body", Namespace))
                throw new XmlException("the envelope has no body where it should be");
            Enter(reader);
        }

        /// <summary>Moves to the first thing inside an element, past comments and white space.</summary>
        static void Enter(XmlReader reader)
        {
            if (reader.IsEmptyElement)
                throw new XmlException(reader.Name + " is empty");
            reader.ReadStartElement();
            reader.MoveToContent();
        }

        /// <summary>Skips the header's entries; the service understands none, so none for it may demand to be understood.</summary>
        static void PassHeaders(XmlReader reader)
        {
            if (reader.IsEmptyElement)
            {
                reader.Skip();
                reader.MoveToContent();
                return;
            }
            for (Enter(reader); reader.NodeType == XmlNodeType.Element; reader.MoveToContent())
            {
                string must = reader.GetAttribute("mustUnderstand", Namespace);
                string actor = reader.GetAttribute("actor", Namespace);
                if ((must == "1" || must == "true") && (string.IsNullOrEmpty(actor) || actor == NextActor))
                    throw new SoapException("MustUnderstand", "header " + reader.Name + " is not understood");
                reader.Skip();
            }
            reader.ReadEndElement();
            reader.MoveToContent();
        }

        /// <summary>Reads from behind the body's element to the end of the document.</summary>
        static void Leave(XmlReader reader)
        {
            for (int ends = 0; ends < 2; ends++) // Body, Envelope
            {
                if (reader.MoveToContent() != XmlNodeType.EndElement)
                    throw new XmlException("something follows the operation: " + reader.Name);
                reader.ReadEndElement();
            }
            while (reader.Read())
            {
                if (reader.NodeType == XmlNodeType.Element || reader.NodeType == XmlNodeType.Text)
                    throw new XmlException("something follows the envelope: " + reader.Name);
            }
        }
    }
}
