using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>TV Dinner where the document is XML of the message: bound by XmlSerializer to the classes that the schema's compiler made.</summary>
    [WebService(Name = "TVDinner", Namespace = Names.Service)]
    [SoapDocumentService(RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class TVDinnerService : WebService
    {
        [WebMethod(MessageName = "tvDinner")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("AcknowledgePurchaseOrder", Namespace = Names.Order)]
        public AcknowledgePurchaseOrderDocument Wrapped(
            [XmlElement("ProcessPurchaseOrder", Namespace = Names.Order)] ProcessPurchaseOrderDocument document)
        {
            return Orders.Acknowledged(document);
        }

        [WebMethod(MessageName = "tvDinnerBare")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("AcknowledgePurchaseOrder", Namespace = Names.Order)]
        public AcknowledgePurchaseOrderDocument Bare(
            [XmlElement("ProcessPurchaseOrder", Namespace = Names.Order)] ProcessPurchaseOrderDocument document)
        {
            return Orders.Acknowledged(document);
        }
    }
}
