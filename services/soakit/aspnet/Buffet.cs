using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>The Buffet where the document is XML of the message: it becomes a tree, an XmlDocument.</summary>
    [WebService(Name = "Buffet", Namespace = Names.Service)]
    [SoapDocumentService(RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class BuffetService : WebService
    {
        [WebMethod(MessageName = "buffet")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("Validation", Namespace = Names.Buffet)]
        public ValidationDocument Wrapped([XmlElement("Order", Namespace = Names.Buffet)] OrderTree document)
        {
            return BadDocument.Present(document, "Order").Validation();
        }

        [WebMethod(MessageName = "buffetBare")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("Validation", Namespace = Names.Buffet)]
        public ValidationDocument Bare([XmlElement("Order", Namespace = Names.Buffet)] OrderTree document)
        {
            return BadDocument.Present(document, "Order").Validation();
        }
    }
}
