using System.Collections.Generic;
using System.Xml;
using Steelyard.Common;

namespace Steelyard.WSTest
{
    /// <summary>The operations of WSTest: document/literal wrapped, chosen by the body's element.</summary>
    static class WSTestService
    {
        public const string Namespace = "urn:steelyard:wstest";
        const int MostDepth = 256;

        static int Main(string[] arguments)
        {
            var paths = new Dictionary<string, IReadOnlyDictionary<XmlQualifiedName, Operation>> { { "/wstest/WSTest", All() } };
            return new Server(paths, "/wstest/count", MostDepth).Run(arguments);
        }

        static Operations All()
        {
            return new Operations()
                .Add<EchoVoid, EchoVoidResponse>(Namespace, "echoVoid", request => new EchoVoidResponse())
                .Add<EchoStruct, EchoStructResponse>(
                    Namespace, "echoStruct", request => new EchoStructResponse { Structs = request.Structs })
                .Add<EchoList, EchoListResponse>(Namespace, "echoList", request => new EchoListResponse { List = request.List })
                .Add<EchoSynthetic, EchoSyntheticResponse>(Namespace, "echoSynthetic", request => new EchoSyntheticResponse
                {
                    Synthetic = new Synthetic { Text = request.Text, Struct = request.Struct, Bytes = request.Bytes },
                })
                .Add<GetOrder, GetOrderResponse>(
                    Namespace, "getOrder", request => new GetOrderResponse { Order = PurchaseOrder.Number(request.OrderId) });
        }
    }
}
