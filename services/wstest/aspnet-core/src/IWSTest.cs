using System.ServiceModel;

namespace Steelyard.WSTest
{
    /// <summary>The operations of WSTest, document/literal: each message is the element of its operation, read and written by XmlSerializer.</summary>
    [ServiceContract(Namespace = WSTestService.Namespace)]
    [XmlSerializerFormat]
    public interface IWSTest
    {
        [OperationContract(Name = "echoVoid")]
        EchoVoidResponseMessage EchoVoid(EchoVoidMessage message);

        [OperationContract(Name = "echoStruct")]
        EchoStructResponseMessage EchoStruct(EchoStructMessage message);

        [OperationContract(Name = "echoList")]
        EchoListResponseMessage EchoList(EchoListMessage message);

        [OperationContract(Name = "echoSynthetic")]
        EchoSyntheticResponseMessage EchoSynthetic(EchoSyntheticMessage message);

        [OperationContract(Name = "getOrder")]
        GetOrderResponseMessage GetOrder(GetOrderMessage message);
    }

    public sealed class WSTest : IWSTest
    {
        public EchoVoidResponseMessage EchoVoid(EchoVoidMessage message)
        {
            return new EchoVoidResponseMessage { Body = new EchoVoidResponse() };
        }

        public EchoStructResponseMessage EchoStruct(EchoStructMessage message)
        {
            return new EchoStructResponseMessage { Body = new EchoStructResponse { Structs = message.Body.Structs } };
        }

        public EchoListResponseMessage EchoList(EchoListMessage message)
        {
            return new EchoListResponseMessage { Body = new EchoListResponse { List = message.Body.List } };
        }

        public EchoSyntheticResponseMessage EchoSynthetic(EchoSyntheticMessage message)
        {
            EchoSynthetic given = message.Body;
            var answer = new Synthetic { Text = given.Text, Struct = given.Struct, Bytes = given.Bytes };
            return new EchoSyntheticResponseMessage { Body = new EchoSyntheticResponse { Synthetic = answer } };
        }

        public GetOrderResponseMessage GetOrder(GetOrderMessage message)
        {
            return new GetOrderResponseMessage
            {
                Body = new GetOrderResponse { Order = PurchaseOrder.Number(message.Body.OrderId) },
            };
        }
    }
}
