using System.Web.Services;
using System.Web.Services.Description;
using System.Web.Services.Protocols;
using System.Xml.Serialization;

namespace Steelyard.WSTest
{
    /// <summary>The operations of WSTest: document/literal wrapped, chosen by the body's element, since SOAPAction says nothing.</summary>
    [WebService(Name = "WSTest", Namespace = Namespace)]
    [SoapDocumentService(SoapBindingUse.Literal, SoapParameterStyle.Wrapped,
        RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class WSTestService : WebService
    {
        public const string Namespace = "urn:steelyard:wstest";

        [WebMethod(MessageName = "echoVoid")]
        public void EchoVoid()
        {
        }

        [WebMethod(MessageName = "echoStruct")]
        [return: XmlElement("return")]
        public Struct[] EchoStruct([XmlElement("struct")] Struct[] structs)
        {
            return structs;
        }

        [WebMethod(MessageName = "echoList")]
        [return: XmlElement("return")]
        public ListItem EchoList([XmlElement("list")] ListItem list)
        {
            return list;
        }

        [WebMethod(MessageName = "echoSynthetic")]
        [return: XmlElement("return")]
        public Synthetic EchoSynthetic(
            [XmlElement("text")] string text,
            [XmlElement("struct")] Struct @struct,
            [XmlElement("bytes")] byte[] bytes)
        {
            return new Synthetic { Text = text, Struct = @struct, Bytes = bytes };
        }

        [WebMethod(MessageName = "getOrder")]
        [return: XmlElement("return")]
        public PurchaseOrder GetOrder([XmlElement("orderId")] int orderId)
        {
            return PurchaseOrder.Number(orderId);
        }
    }
}
