using System;
using System.IO;
using System.Linq;
using System.Net.Mime;
using System.Text;
using System.Xml;

namespace Steelyard.Common
{
    /// <summary>Reads a message without a document type declaration, whose elements nest at most so many deep.</summary>
    /// <remarks>XmlSerializer calls itself for each level of a list: what nests without bound would exhaust the stack, which
    /// ends the process.</remarks>
    sealed class MessageReader : XmlTextReader
    {
        readonly int mostDepth;

        MessageReader(Stream stream, int mostDepth)
            : base(stream)
        {
            this.mostDepth = mostDepth;
            Restrict();
        }

        MessageReader(TextReader text, int mostDepth)
            : base(text)
        {
            this.mostDepth = mostDepth;
            Restrict();
        }

        /// <summary>Reads a body. A byte order mark decides on its encoding, then the charset of the Content-Type, then the XML
        /// declaration (RFC 7303, section 3).</summary>
        public static MessageReader Of(byte[] body, ContentType type, int mostDepth)
        {
            var stream = new MemoryStream(body, false);
            if (type.CharSet == null || HasMark(body))
                return new MessageReader(stream, mostDepth);
            try
            {
                Encoding encoding = Encoding.GetEncoding(
                    type.CharSet, EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback);
                return new MessageReader(new StreamReader(stream, encoding, false), mostDepth);
            }
            catch (ArgumentException)
            {
                throw new XmlException("charset " + type.CharSet + " is not known here");
            }
        }

        public override bool Read()
        {
            bool more = base.Read();
            if (Depth > mostDepth)
                throw new XmlException("elements nest more than " + mostDepth + " deep");
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

        void Restrict()
        {
            DtdProcessing = DtdProcessing.Prohibit;
            XmlResolver = null;
            Normalization = true;
            WhitespaceHandling = WhitespaceHandling.All;
        }

        static bool HasMark(byte[] body)
        {
            return Starts(body, 0xEF, 0xBB, 0xBF) || Starts(body, 0xFE, 0xFF) || Starts(body, 0xFF, 0xFE);
        }

        static bool Starts(byte[] body, params byte[] mark)
        {
            return body.Take(mark.Length).SequenceEqual(mark);
        }
    }
}
