using System.IO;
using System.Web.Services;
using System.Web.Services.Description;
using System.Web.Services.Protocols;
using System.Xml.Serialization;
using Steelyard.SoaServers.Contract;

namespace Steelyard.SoaServers
{
    /// <summary>Where clients ask: the service of environment 1, the main one of 2, and the orchestration point of 3.</summary>
    [WebService(Name = "Orchestration", Namespace = "urn:steelyard:soaservers")]
    [SoapDocumentService(SoapBindingUse.Literal, SoapParameterStyle.Wrapped,
        RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class OrchestrationService : WebService
    {
        [WebMethod(MessageName = "single")]
        [return: XmlElement("token")]
        public Token[] Single([XmlElement("parameter")] string parameter)
        {
            return Propagation.Tokens(Services.Single, 0, new[] { parameter });
        }

        [WebMethod(MessageName = "pair")]
        [return: XmlElement("token")]
        public Token[] Pair([XmlElement("first")] string first, [XmlElement("second")] string second)
        {
            return Propagation.Tokens(Services.Main, 0, first, second);
        }

        [WebMethod(MessageName = "mesh")]
        [return: XmlElement("token")]
        public Token[] Mesh([XmlElement("parameter")] string parameter)
        {
            return Propagation.Tokens(Services.Graph.Entry, 0, new[] { parameter });
        }
    }

    /// <summary>A service that others call. Each has an .asmx file of its own, and is known by that file's name.</summary>
    [WebService(Name = "Callee", Namespace = "urn:steelyard:soaservers")]
    [SoapDocumentService(SoapBindingUse.Literal, SoapParameterStyle.Wrapped,
        RoutingStyle = SoapServiceRoutingStyle.RequestElement)]
    public class CalleeService : WebService
    {
        [WebMethod(MessageName = "propagate")]
        [return: XmlElement("token")]
        public Token[] Propagate([XmlElement("depth")] int depth, [XmlElement("parameter")] string[] parameters)
        {
            string address = Path.GetFileNameWithoutExtension(Context.Request.FilePath);
            Node node = Services.At(address);
            if (node == null)
                throw new InvalidDataException("the graph has no service at " + address);
            return Propagation.Tokens(node, depth, parameters);
        }
    }
}
