using System.Xml.Serialization;

namespace Steelyard.WSTest
{
    [XmlRoot("echoVoid", Namespace = WSTestService.Namespace)]
    public class EchoVoid
    {
    }

    [XmlRoot("echoVoidResponse", Namespace = WSTestService.Namespace)]
    public class EchoVoidResponse
    {
    }

    [XmlRoot("echoStruct", Namespace = WSTestService.Namespace)]
    public class EchoStruct
    {
        [XmlElement("struct")] public Struct[] Structs;
    }

    [XmlRoot("echoStructResponse", Namespace = WSTestService.Namespace)]
    public class EchoStructResponse
    {
        [XmlElement("return")] public Struct[] Structs;
    }

    [XmlRoot("echoList", Namespace = WSTestService.Namespace)]
    public class EchoList
    {
        [XmlElement("list")] public ListItem List;
    }

    [XmlRoot("echoListResponse", Namespace = WSTestService.Namespace)]
    public class EchoListResponse
    {
        [XmlElement("return")] public ListItem List;
    }

    [XmlRoot("echoSynthetic", Namespace = WSTestService.Namespace)]
    public class EchoSynthetic
    {
        [XmlElement("text")] public string Text;
        [XmlElement("struct")] public Struct Struct;
        [XmlElement("bytes")] public byte[] Bytes;
    }

    [XmlRoot("echoSyntheticResponse", Namespace = WSTestService.Namespace)]
    public class EchoSyntheticResponse
    {
        [XmlElement("return")] public Synthetic Synthetic;
    }

    [XmlRoot("getOrder", Namespace = WSTestService.Namespace)]
    public class GetOrder
    {
        [XmlElement("orderId")] public int OrderId;
    }

    [XmlRoot("getOrderResponse", Namespace = WSTestService.Namespace)]
    public class GetOrderResponse
    {
        [XmlElement("return")] public PurchaseOrder Order;
    }
}
