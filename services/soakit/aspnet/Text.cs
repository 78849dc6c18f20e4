using System.Web.Services;
using System.Web.Services.Protocols;
using System.Xml.Serialization;

namespace Steelyard.Soakit
{
    /// <summary>All three use cases where the document is a string of the message, wrapped or bare.</summary>
    [WebService(Name = "Text", Namespace = Names.Service)]
    [SoapDocumentService(RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class TextService : WebService
    {
        [WebMethod(MessageName = "tvDinnerText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("answer")]
        public string TvDinner([XmlElement("text")] string text)
        {
            return Orders.OfText(text);
        }

        [WebMethod(MessageName = "tvDinnerBareText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("tvDinnerBareTextResponse")]
        public string TvDinnerBare([XmlElement("tvDinnerBareText")] string text)
        {
            return Orders.OfText(text);
        }

        [WebMethod(MessageName = "sushiBoatsText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("answer")]
        public string SushiBoats([XmlElement("text")] string text)
        {
            return Posting.OfText(text);
        }

        [WebMethod(MessageName = "sushiBoatsBareText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("sushiBoatsBareTextResponse")]
        public string SushiBoatsBare([XmlElement("sushiBoatsBareText")] string text)
        {
            return Posting.OfText(text);
        }

        [WebMethod(MessageName = "buffetText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Wrapped)]
        [return: XmlElement("answer")]
        public string Buffet([XmlElement("text")] string text)
        {
            return OrderTree.OfText(text);
        }

        [WebMethod(MessageName = "buffetBareText")]
        [SoapDocumentMethod(ParameterStyle = SoapParameterStyle.Bare)]
        [return: XmlElement("buffetBareTextResponse")]
        public string BuffetBare([XmlElement("buffetBareText")] string text)
        {
            return OrderTree.OfText(text);
        }
    }
}
