using System.Xml.Serialization;

namespace Steelyard.WSTest
{
    [XmlType(Namespace = WSTestService.Namespace)]
    public class Struct
    {
        [XmlElement("varInt")] public int VarInt;
        [XmlElement("varFloat")] public float VarFloat;
        [XmlElement("varString")] public string VarString;
    }

    [XmlType(Namespace = WSTestService.Namespace)]
    public class ListItem
    {
        [XmlElement("value")] public Struct Value;
        [XmlElement("next")] public ListItem Next;
    }

    [XmlType(Namespace = WSTestService.Namespace)]
    public class Synthetic
    {
        [XmlElement("text")] public string Text;
        [XmlElement("struct")] public Struct Struct;
        [XmlElement("bytes")] public byte[] Bytes;
    }
}
