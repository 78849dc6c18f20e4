using System;
using System.Xml.Serialization;

namespace Steelyard.WSTest
{
    [XmlType(Namespace = WSTestService.Namespace)]
    public class PurchaseOrder
    {
        [XmlElement("orderId")] public int OrderId;
        [XmlElement("reference")] public string Reference;
        [XmlElement("orderDate", DataType = "date")] public DateTime OrderDate;
        [XmlElement("customer")] public Customer Customer;
        [XmlElement("billingAddress")] public Address BillingAddress;
        [XmlElement("shippingAddress")] public Address ShippingAddress;
        [XmlElement("item")] public LineItem[] Items;
        [XmlElement("total")] public decimal Total;

        /// <summary>The purchase order number n, 0 to 999999999, by the rule in contract/wstest.xsd (type PurchaseOrder).</summary>
        public static PurchaseOrder Number(int n)
        {
            var items = new LineItem[5 + n % 6];
            decimal total = 0;
            for (int i = 1; i <= items.Length; i++)
            {
                LineItem item = LineItem.Of(n, i);
                items[i - 1] = item;
                total += item.Quantity * item.UnitPrice;
            }
            return new PurchaseOrder
            {
                OrderId = n,
                Reference = "PO-" + n.ToString("D9"),
                OrderDate = new DateTime(2004, 1 + n % 12, 1 + n % 28),
                Customer = Customer.Of(n),
                BillingAddress = Address.Of(n),
                ShippingAddress = Address.Of(n / 10),
                Items = items,
                Total = total,
            };
        }
    }

    [XmlType(Namespace = WSTestService.Namespace)]
    public class Customer
    {
        [XmlElement("customerId")] public int CustomerId;
        [XmlElement("name")] public string Name;
        [XmlElement("email")] public string Email;

        internal static Customer Of(int n)
        {
            int id = 1000 + n % 9000;
            return new Customer { CustomerId = id, Name = "Customer " + id, Email = "customer" + id + "@example.com" };
        }
    }

    [XmlType(Namespace = WSTestService.Namespace)]
    public class Address
    {
        [XmlElement("street")] public string Street;
        [XmlElement("city")] public string City;
        [XmlElement("state")] public string State;
        [XmlElement("postalCode")] public string PostalCode;
        [XmlElement("country")] public string Country;

        internal static Address Of(int k)
        {
            return new Address
            {
                Street = 1 + k % 199 + " Main Street",
                City = "City " + k % 100,
                State = "State " + k % 50,
                PostalCode = (k % 100000).ToString("D5"),
                Country = "US",
            };
        }
    }

    [XmlType(Namespace = WSTestService.Namespace)]
    public class LineItem
    {
        [XmlElement("lineNumber")] public int LineNumber;
        [XmlElement("sku")] public string Sku;
        [XmlElement("description")] public string Description;
        [XmlElement("quantity")] public int Quantity;
        [XmlElement("unitPrice")] public decimal UnitPrice;

        internal static LineItem Of(int n, int i)
        {
            return new LineItem
            {
                LineNumber = i,
                Sku = "SKU-" + (n % 10000 + 37 * i).ToString("D5"),
                Description = "Nuts & bolts, size " + (1 + (n + i) % 12),
                Quantity = 1 + (n + i) % 9,
                UnitPrice = (100 + 7 * (n % 1000) + 25 * i) / 100m,
            };
        }
    }
}
