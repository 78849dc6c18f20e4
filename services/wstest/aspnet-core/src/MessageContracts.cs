using System.ServiceModel;

namespace Steelyard.WSTest
{
    [MessageContract(IsWrapped = false)]
    public class EchoVoidMessage
    {
        [MessageBodyMember(Name = "echoVoid", Namespace = WSTestService.Namespace)] public EchoVoid Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoVoidResponseMessage
    {
        [MessageBodyMember(Name = "echoVoidResponse", Namespace = WSTestService.Namespace)] public EchoVoidResponse Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoStructMessage
    {
        [MessageBodyMember(Name = "echoStruct", Namespace = WSTestService.Namespace)] public EchoStruct Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoStructResponseMessage
    {
        [MessageBodyMember(Name = "echoStructResponse", Namespace = WSTestService.Namespace)] public EchoStructResponse Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoListMessage
    {
        [MessageBodyMember(Name = "echoList", Namespace = WSTestService.Namespace)] public EchoList Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoListResponseMessage
    {
        [MessageBodyMember(Name = "echoListResponse", Namespace = WSTestService.Namespace)] public EchoListResponse Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoSyntheticMessage
    {
        [MessageBodyMember(Name = "echoSynthetic", Namespace = WSTestService.Namespace)] public EchoSynthetic Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class EchoSyntheticResponseMessage
    {
        [MessageBodyMember(Name = "echoSyntheticResponse", Namespace = WSTestService.Namespace)]
        public EchoSyntheticResponse Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class GetOrderMessage
    {
        [MessageBodyMember(Name = "getOrder", Namespace = WSTestService.Namespace)] public GetOrder Body = null!;
    }

    [MessageContract(IsWrapped = false)]
    public class GetOrderResponseMessage
    {
        [MessageBodyMember(Name = "getOrderResponse", Namespace = WSTestService.Namespace)] public GetOrderResponse Body = null!;
    }
}
