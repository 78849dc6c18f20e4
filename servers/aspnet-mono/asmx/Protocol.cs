using System.IO;
using System.Text;
using System.Web;
using System.Web.Services.Protocols;
using System.Xml;

namespace Steelyard.Asmx
{
    /// <summary>SOAP as ASP.NET speaks it, but that a carriage return comes back as one; named in Web.config.</summary>
    public class ProtocolFactory : SoapServerProtocolFactory
    {
        protected override ServerProtocol CreateIfRequestCompatible(HttpRequest request)
        {
            ServerProtocol protocol = base.CreateIfRequestCompatible(request);
            return protocol is SoapServerProtocol ? new Protocol() : protocol;
        }
    }

    class Protocol : SoapServerProtocol
    {
        protected override XmlWriter GetWriterForMessage(SoapServerMessage message, int bufferSize)
        {
            return new Writer(message.Stream, bufferSize);
        }
    }

    /// <summary>Writes a carriage return as a character reference: as such, a reader would take it for a line feed.</summary>
    class Writer : XmlTextWriter
    {
        public Writer(Stream to, int bufferSize)
            : base(new StreamWriter(to, new UTF8Encoding(false), bufferSize))
        {
        }

        public override void WriteString(string text)
        {
            int begin = 0;
            for (int at; text != null && (at = text.IndexOf('\r', begin)) >= 0; begin = at + 1)
            {
                base.WriteString(text.Substring(begin, at - begin));
                WriteCharEntity('\r');
            }
            base.WriteString(begin == 0 ? text : text.Substring(begin));
        }
    }
}
