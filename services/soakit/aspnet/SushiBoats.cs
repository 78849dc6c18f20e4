using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>Sushi Boats where the document is XML of the message: it is pulled from the message itself by an XmlReader.</summary>
    [WebService(Name = "SushiBoats", Namespace = Names.Service)]
    [SoapDocumentService(RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class SushiBoatsService : WebService
    {
        [WebMethod(MessageName = "sushiBoats")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("NewsDigest", Namespace = Names.News)]
        public NewsDigestDocument Wrapped([XmlElement("NewsPosting", Namespace = Names.News)] Posting document)
        {
            return BadDocument.Present(document, "NewsPosting").Digest;
        }

        [WebMethod(MessageName = "sushiBoatsBare")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("NewsDigest", Namespace = Names.News)]
        public NewsDigestDocument Bare([XmlElement("NewsPosting", Namespace = Names.News)] Posting document)
        {
            return BadDocument.Present(document, "NewsPosting").Digest;
        }
    }
}
