using System.Globalization;
using System.Linq;
using System.Xml.Serialization;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>Counts and adds up a purchase order.</summary>
    static class Orders
    {
        static readonly XmlSerializer Requests = new XmlSerializer(typeof(ProcessPurchaseOrderDocument));
        static readonly XmlSerializer Answers = new XmlSerializer(typeof(AcknowledgePurchaseOrderDocument));

        public static string OfText(string text)
        {
            return Texts.Written(Answers, Acknowledged(Texts.Read(text, reader => (ProcessPurchaseOrderDocument)Requests.Deserialize(reader))));
        }

        public static AcknowledgePurchaseOrderDocument Acknowledged(ProcessPurchaseOrderDocument document)
        {
            BadDocument.Present(document, "ProcessPurchaseOrder");
            Identifier original = BadDocument.Present(BadDocument.Present(document.ApplicationArea, "ApplicationArea").DocumentId, "DocumentId");
            PurchaseOrder order = BadDocument.Present(BadDocument.Present(document.DataArea, "DataArea").PurchaseOrder, "PurchaseOrder");
            Header header = BadDocument.Present(order.Header, "Header");
            BuyerParty buyer = (header.Party ?? new PartyBase[0]).OfType<BuyerParty>().LastOrDefault();
            CommunicationBase[] reached = BadDocument.Present(buyer, "Party of the buyer").Contact == null ? null : buyer.Contact.Items;
            AcknowledgedLine[] lines = (order.Line ?? new Line[0]).Select(Acknowledged).ToArray();
            var answer = new AcknowledgedOrder
            {
                OrderId = BadDocument.Present(header.OrderId, "OrderId"),
                Buyer = BadDocument.Present(buyer.Name, "Name"),
                Priority = BadDocument.Present(header.Priority, "Priority").Trim(),
                Telephones = Written((reached ?? new CommunicationBase[0]).OfType<TelephoneNumber>().Count()),
                Line = lines,
                Amount = lines.Sum(line => line.Amount),
            };
            return new AcknowledgePurchaseOrderDocument
            {
                Original = original,
                DataArea = new AcknowledgePurchaseOrderData
                {
                    Acknowledge = new AcknowledgeVerb { Response = lines.Length == 0 ? ResponseCode.Empty : ResponseCode.Accepted },
                    PurchaseOrder = answer,
                },
            };
        }

        static AcknowledgedLine Acknowledged(Line line)
        {
            Subline[] sublines = line.Subline ?? new Subline[0];
            return new AcknowledgedLine
            {
                LineNumber = Number(BadDocument.Present(line.LineNumber, "LineNumber")),
                Sublines = Written(sublines.Length),
                Kits = Written(sublines.Count(subline => subline.Item is KitItem)),
                Quantity = sublines.Sum(subline => BadDocument.Present(subline.Quantity, "Quantity").Value),
                Amount = sublines.Sum(Cost),
            };
        }

        static decimal Cost(Subline subline)
        {
            Price price = BadDocument.Present(subline.Price, "Price");
            decimal cost = BadDocument.Present(subline.Quantity, "Quantity").Value * BadDocument.Present(price.Amount, "Amount").Value;
            foreach (ChargeBase charge in subline.Items ?? new ChargeBase[0])
            {
                decimal amount = BadDocument.Present(charge.Amount, "Amount").Value;
                cost += charge is DiscountCharge ? -amount : amount;
            }
            return cost;
        }

        /// <summary>A whole number in its plain spelling: the schema's compiler makes texts of such.</summary>
        static string Number(string text)
        {
            decimal number;
            if (!decimal.TryParse(text.Trim(), NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture, out number))
                throw new BadDocument("a line's number is none");
            return number.ToString(CultureInfo.InvariantCulture);
        }

        static string Written(int count)
        {
            return count.ToString(CultureInfo.InvariantCulture);
        }
    }
}
