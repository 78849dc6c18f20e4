using System;
using System.IO;
using System.Linq;
using System.Net.Mime;
using System.Text;
using System.Xml;

namespace Steelyard.Common
{
    /// <summary>Reads a message without a document type declaration, whose elements nest at most 256 deep.</summary>
    /// <remarks>XmlSerializer calls itself for each level of a list: what nests without bound would exhaust the stack, which
    /// ends the process.</remarks>
    sealed class MessageReader : XmlTextReader
    {
        const int MostDepth = 256;

        MessageReader(Stream stream)
            : base(stream)
        {
            Restrict();
        }

        MessageReader(TextReader text)
            : base(text)
        {
            Restrict();
        }

        /// <summary>Reads a body. A byte order mark decides on its encoding, then the charset of the Content-Type, then the XML
        /// declaration (RFC 7303, section 3).</summary>
        public static MessageReader Of(byte[] body, ContentType type)
        {
            var stream = new MemoryStream(body, false);
            if (type.CharSet == null || HasMark(body))
                return new MessageReader(stream);
            try
            {
                Encoding encoding = Encoding.GetEncoding(
                    type.CharSet, EncoderFallback.ExceptionFallback, DecoderFallback.ExceptionFallback);
                return new MessageReader(new StreamReader(stream, encoding, false));
            }
            catch (ArgumentException)
            {
                throw new XmlException("charset " + type.CharSet + " is not known here");
            }
        }

        public override bool Read()
        {
            bool more = base.Read();
            if (Depth > MostDepth)
                throw new XmlException("elements nest more than " + MostDepth + " deep");
            return more;
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
