using System.Net.Mime;
using System.IO;
using System.Text;
using System.Web;
using System.Web.Services.Protocols;
using System.Xml;
using Steelyard.Asmx;

namespace Steelyard.Soakit
{
    /// <summary>SOAP as the other services of this platform speak it, with messages that are read by DocumentReader; named in Web.config.</summary>
    public class DocumentProtocolFactory : SoapServerProtocolFactory
    {
        protected override ServerProtocol CreateIfRequestCompatible(HttpRequest request)
        {
            ServerProtocol protocol = base.CreateIfRequestCompatible(request);
            return protocol is SoapServerProtocol ? new DocumentProtocol() : protocol;
        }
    }

    class DocumentProtocol : Protocol
    {
        protected override XmlReader GetReaderForMessage(SoapServerMessage message, int bufferSize)
        {
            string charset = new ContentType(message.ContentType).CharSet;
            if (string.IsNullOrEmpty(charset))
                return new DocumentReader(message.Stream);
            return new DocumentReader(new StreamReader(message.Stream, Encoding.GetEncoding(charset), true, bufferSize));
        }
    }
}
