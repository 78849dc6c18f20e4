using System;
using System.Collections.Generic;
using System.Xml;
using Steelyard.Common;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>The three use cases at the addresses of the contract: as XML or as a string, wrapped, bare or by rpc/literal.</summary>
    static class SoakitService
    {
        const int MostDepth = 100; // of a document: its envelope adds a few

        static int Main(string[] arguments)
        {
            var paths = new Dictionary<string, IReadOnlyDictionary<XmlQualifiedName, Operation>>
            {
                { "/soakit/TVDinner", TVDinner() },
                { "/soakit/SushiBoats", SushiBoats() },
                { "/soakit/Buffet", Buffet() },
                { "/soakit/Text", Text() },
                { "/soakit/TVDinnerRpc", TVDinnerRpc() },
                { "/soakit/SushiBoatsRpc", SushiBoatsRpc() },
                { "/soakit/BuffetRpc", BuffetRpc() },
                { "/soakit/TextRpc", TextRpc() },
            };
            return new Server(paths, "/soakit/count", MostDepth).Run(arguments);
        }

        static Operations TVDinner()
        {
            return new Operations()
                .Add<TVDinner, TVDinnerResponse>(Names.Service, "tvDinner", request => new TVDinnerResponse
                {
                    Document = Orders.Acknowledged(request.Document),
                })
                .Add<ProcessPurchaseOrderDocument, AcknowledgePurchaseOrderDocument>(
                    Names.Order, "ProcessPurchaseOrder", Orders.Acknowledged);
        }

        static Operations TVDinnerRpc()
        {
            return new Operations().Add<TVDinnerRpc, TVDinnerRpcResponse>(
                Names.Service, "tvDinnerRpc", request => new TVDinnerRpcResponse { Document = Orders.Acknowledged(request.Document) });
        }

        static Operations SushiBoats()
        {
            return new Operations()
                .Add<SushiBoats, SushiBoatsResponse>(Names.Service, "sushiBoats", request => new SushiBoatsResponse
                {
                    Document = BadDocument.Present(request.Document, "NewsPosting").Digest,
                })
                .Add<Posting, NewsDigestDocument>(Names.News, "NewsPosting", posting => posting.Digest);
        }

        static Operations SushiBoatsRpc()
        {
            return new Operations().Add<SushiBoatsRpc, SushiBoatsRpcResponse>(
                Names.Service,
                "sushiBoatsRpc",
                request => new SushiBoatsRpcResponse { Document = BadDocument.Present(request.Document, "document").Digest });
        }

        static Operations Buffet()
        {
            return new Operations()
                .Add<Buffet, BuffetResponse>(Names.Service, "buffet", request => new BuffetResponse
                {
                    Document = BadDocument.Present(request.Document, "Order").Validation(),
                })
                .Add<OrderTree, ValidationDocument>(Names.Buffet, "Order", order => order.Validation());
        }

        static Operations BuffetRpc()
        {
            return new Operations().Add<BuffetRpc, BuffetRpcResponse>(
                Names.Service,
                "buffetRpc",
                request => new BuffetRpcResponse { Document = BadDocument.Present(request.Document, "document").Validation(false) });
        }

        static Operations Text()
        {
            return new Operations()
                .Add<TVDinnerText, TVDinnerTextResponse>(
                    Names.Service, "tvDinnerText", request => new TVDinnerTextResponse { Answer = Orders.OfText(request.Text) })
                .Add<SushiBoatsText, SushiBoatsTextResponse>(
                    Names.Service, "sushiBoatsText", request => new SushiBoatsTextResponse { Answer = Posting.OfText(request.Text) })
                .Add<BuffetText, BuffetTextResponse>(
                    Names.Service, "buffetText", request => new BuffetTextResponse { Answer = OrderTree.OfText(request.Text) })
                .Add<TVDinnerBareText, TVDinnerBareTextResponse>(
                    Names.Service, "tvDinnerBareText", request => new TVDinnerBareTextResponse { Answer = Orders.OfText(request.Text) })
                .Add<SushiBoatsBareText, SushiBoatsBareTextResponse>(
                    Names.Service,
                    "sushiBoatsBareText",
                    request => new SushiBoatsBareTextResponse { Answer = Posting.OfText(request.Text) })
                .Add<BuffetBareText, BuffetBareTextResponse>(
                    Names.Service, "buffetBareText", request => new BuffetBareTextResponse { Answer = OrderTree.OfText(request.Text) });
        }

        static Operations TextRpc()
        {
            return new Operations()
                .Add<TVDinnerRpcText, TVDinnerRpcTextResponse>(
                    Names.Service, "tvDinnerRpcText", request => new TVDinnerRpcTextResponse { Answer = Orders.OfText(request.Text) })
                .Add<SushiBoatsRpcText, SushiBoatsRpcTextResponse>(
                    Names.Service,
                    "sushiBoatsRpcText",
                    request => new SushiBoatsRpcTextResponse { Answer = Posting.OfText(request.Text) })
                .Add<BuffetRpcText, BuffetRpcTextResponse>(
                    Names.Service, "buffetRpcText", request => new BuffetRpcTextResponse { Answer = OrderTree.OfText(request.Text) });
        }
    }
}
