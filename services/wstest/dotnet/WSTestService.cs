using System;
using System.Collections.Generic;
using System.Xml;
using Steelyard.Common;

namespace Steelyard.WSTest
{
    /// <summary>The operations of WSTest: document/literal wrapped, chosen by the body's element.</summary>
    static class WSTestService
    {
        public const string Namespace = "urn:steelyard:wstest";

        static int Main(string[] arguments)
        {
            return new Server("/wstest/WSTest", "/wstest/count", Operations()).Run(arguments);
        }

        static IReadOnlyDictionary<XmlQualifiedName, Operation> Operations()
        {
            var operations = new Dictionary<XmlQualifiedName, Operation>();
            Add<EchoVoid, EchoVoidResponse>(operations, "echoVoid", request => new EchoVoidResponse());
            Add<EchoStruct, EchoStructResponse>(
                operations, "echoStruct", request => new EchoStructResponse { Structs = request.Structs });
            Add<EchoList, EchoListResponse>(operations, "echoList", request => new EchoListResponse { List = request.List });
            Add<EchoSynthetic, EchoSyntheticResponse>(operations, "echoSynthetic", request => new EchoSyntheticResponse
            {
                Synthetic = new Synthetic { Text = request.Text, Struct = request.Struct, Bytes = request.Bytes },
            });
            Add<GetOrder, GetOrderResponse>(
                operations, "getOrder", request => new GetOrderResponse { Order = PurchaseOrder.Number(request.OrderId) });
            return operations;
        }

        static void Add<TRequest, TAnswer>(
            IDictionary<XmlQualifiedName, Operation> operations, string name, Func<TRequest, TAnswer> answer)
        {
            operations.Add(new XmlQualifiedName(name, Namespace), new Operation<TRequest, TAnswer>(Namespace, answer));
        }
    }
}
