using System.Xml.Schema;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    [XmlRoot("tvDinner", Namespace = Names.Service)]
    public class TVDinner
    {
        [XmlElement("ProcessPurchaseOrder", Namespace = Names.Order)] public ProcessPurchaseOrderDocument Document;
    }

    [XmlRoot("tvDinnerResponse", Namespace = Names.Service)]
    public class TVDinnerResponse
    {
        [XmlElement("AcknowledgePurchaseOrder", Namespace = Names.Order)] public AcknowledgePurchaseOrderDocument Document;
    }

    [XmlRoot("sushiBoats", Namespace = Names.Service)]
    public class SushiBoats
    {
        [XmlElement("NewsPosting", Namespace = Names.News)] public Posting Document;
    }

    [XmlRoot("sushiBoatsResponse", Namespace = Names.Service)]
    public class SushiBoatsResponse
    {
        [XmlElement("NewsDigest", Namespace = Names.News)] public NewsDigestDocument Document;
    }

    [XmlRoot("buffet", Namespace = Names.Service)]
    public class Buffet
    {
        [XmlElement("Order", Namespace = Names.Buffet)] public OrderTree Document;
    }

    [XmlRoot("buffetResponse", Namespace = Names.Service)]
    public class BuffetResponse
    {
        [XmlElement("Validation", Namespace = Names.Buffet)] public ValidationDocument Document;
    }

    [XmlRoot("tvDinnerRpc", Namespace = Names.Service)]
    public class TVDinnerRpc
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public ProcessPurchaseOrderDocument Document;
    }

    [XmlRoot("tvDinnerRpcResponse", Namespace = Names.Service)]
    public class TVDinnerRpcResponse
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public AcknowledgePurchaseOrderDocument Document;
    }

    [XmlRoot("sushiBoatsRpc", Namespace = Names.Service)]
    public class SushiBoatsRpc
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public Posting Document;
    }

    [XmlRoot("sushiBoatsRpcResponse", Namespace = Names.Service)]
    public class SushiBoatsRpcResponse
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public NewsDigestDocument Document;
    }

    [XmlRoot("buffetRpc", Namespace = Names.Service)]
    public class BuffetRpc
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public OrderTree Document;
    }

    [XmlRoot("buffetRpcResponse", Namespace = Names.Service)]
    public class BuffetRpcResponse
    {
        [XmlElement("document", Form = XmlSchemaForm.Unqualified)] public ValidationDocument Document;
    }

    [XmlRoot("tvDinnerText", Namespace = Names.Service)]
    public class TVDinnerText
    {
        [XmlElement("text")] public string Text;
    }

    [XmlRoot("tvDinnerTextResponse", Namespace = Names.Service)]
    public class TVDinnerTextResponse
    {
        [XmlElement("answer")] public string Answer;
    }

    [XmlRoot("tvDinnerBareText", Namespace = Names.Service)]
    public class TVDinnerBareText
    {
        [XmlText] public string Text;
    }

    [XmlRoot("tvDinnerBareTextResponse", Namespace = Names.Service)]
    public class TVDinnerBareTextResponse
    {
        [XmlText] public string Answer;
    }

    [XmlRoot("tvDinnerRpcText", Namespace = Names.Service)]
    public class TVDinnerRpcText
    {
        [XmlElement("text", Form = XmlSchemaForm.Unqualified)] public string Text;
    }

    [XmlRoot("tvDinnerRpcTextResponse", Namespace = Names.Service)]
    public class TVDinnerRpcTextResponse
    {
        [XmlElement("answer", Form = XmlSchemaForm.Unqualified)] public string Answer;
    }

    [XmlRoot("sushiBoatsText", Namespace = Names.Service)]
    public class SushiBoatsText
    {
        [XmlElement("text")] public string Text;
    }

    [XmlRoot("sushiBoatsTextResponse", Namespace = Names.Service)]
    public class SushiBoatsTextResponse
    {
        [XmlElement("answer")] public string Answer;
    }

    [XmlRoot("sushiBoatsBareText", Namespace = Names.Service)]
    public class SushiBoatsBareText
    {
        [XmlText] public string Text;
    }

    [XmlRoot("sushiBoatsBareTextResponse", Namespace = Names.Service)]
    public class SushiBoatsBareTextResponse
    {
        [XmlText] public string Answer;
    }

    [XmlRoot("sushiBoatsRpcText", Namespace = Names.Service)]
    public class SushiBoatsRpcText
    {
        [XmlElement("text", Form = XmlSchemaForm.Unqualified)] public string Text;
    }

    [XmlRoot("sushiBoatsRpcTextResponse", Namespace = Names.Service)]
    public class SushiBoatsRpcTextResponse
    {
        [XmlElement("answer", Form = XmlSchemaForm.Unqualified)] public string Answer;
    }

    [XmlRoot("buffetText", Namespace = Names.Service)]
    public class BuffetText
    {
        [XmlElement("text")] public string Text;
    }

    [XmlRoot("buffetTextResponse", Namespace = Names.Service)]
    public class BuffetTextResponse
    {
        [XmlElement("answer")] public string Answer;
    }

    [XmlRoot("buffetBareText", Namespace = Names.Service)]
    public class BuffetBareText
    {
        [XmlText] public string Text;
    }

    [XmlRoot("buffetBareTextResponse", Namespace = Names.Service)]
    public class BuffetBareTextResponse
    {
        [XmlText] public string Answer;
    }

    [XmlRoot("buffetRpcText", Namespace = Names.Service)]
    public class BuffetRpcText
    {
        [XmlElement("text", Form = XmlSchemaForm.Unqualified)] public string Text;
    }

    [XmlRoot("buffetRpcTextResponse", Namespace = Names.Service)]
    public class BuffetRpcTextResponse
    {
        [XmlElement("answer", Form = XmlSchemaForm.Unqualified)] public string Answer;
    }
}
