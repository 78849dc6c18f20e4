using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;
using Steelyard.Soakit.Contract;

namespace Steelyard.Soakit
{
    /// <summary>The rules of The Buffet's elements: names each text that breaks its own, in the order of the schema.</summary>
    class OrderRules
    {
        static readonly Regex OrderNumber = Whole("ORD-[0-9]{8}");
        static readonly Regex Mail = Whole(@"[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+");
        static readonly Regex Sku = Whole("[A-Z]{3}-[0-9]{5}");
        static readonly Regex Quantity = Whole("[1-9][0-9]{0,3}");
        static readonly Regex Price = Whole(@"[0-9]{1,6}\.[0-9]{2}");
        static readonly Regex Total = Whole(@"[0-9]{1,10}\.[0-9]{2}");
        static readonly Regex Day = Whole("20[0-9]{2}-[0-9]{2}-[0-9]{2}");
        static readonly Regex Warehouse = Whole("W[0-9]{2}");
        static readonly HashSet<string> Countries = new HashSet<string> { "AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US" };
        static readonly HashSet<string> Currencies = new HashSet<string> { "CHF", "EUR", "GBP", "JPY", "USD" };
        static readonly HashSet<string> Units = new HashSet<string> { "each", "box", "kilogram", "litre", "metre" };

        readonly List<Violation> violations = new List<Violation>();
        string orderNumber = "";
        string customer = "";
        DateTime? ordered;
        int parts;

        /// <summary>The header's texts by the names of their elements; a missing one counts as empty.</summary>
        public void Header(IDictionary<string, string> texts)
        {
            orderNumber = Of(texts, "OrderNumber");
            customer = Of(texts, "Customer");
            ordered = Date(Of(texts, "OrderDate"));
            Check(0, texts, "OrderNumber", OrderNumber.IsMatch);
            Check(0, texts, "Customer", text => IsText(text, 40));
            Check(0, texts, "Mail", Mail.IsMatch);
            Check(0, texts, "Country", Countries.Contains);
            Check(0, texts, "Currency", Currencies.Contains);
            Check(0, texts, "OrderDate", _ => ordered != null);
        }

        /// <summary>The next part's texts, likewise.</summary>
        public void Part(IDictionary<string, string> texts)
        {
            parts++;
            DateTime? needed = Date(Of(texts, "NeededBy"));
            Check(parts, texts, "Number", text => text == parts.ToString(CultureInfo.InvariantCulture));
            Check(parts, texts, "Sku", Sku.IsMatch);
            Check(parts, texts, "Description", text => IsText(text, 80));
            Check(parts, texts, "Quantity", Quantity.IsMatch);
            Check(parts, texts, "Unit", Units.Contains);
            Check(parts, texts, "UnitPrice", Price.IsMatch);
            Check(parts, texts, "Total", text => IsTotal(Of(texts, "Quantity"), Of(texts, "UnitPrice"), text));
            Check(parts, texts, "NeededBy", _ => needed != null && (ordered == null || needed >= ordered));
            Check(parts, texts, "Warehouse", Warehouse.IsMatch);
        }

        public ValidationDocument Validation()
        {
            return new ValidationDocument
            {
                OrderNumber = orderNumber,
                Customer = customer,
                Parts = parts.ToString(CultureInfo.InvariantCulture),
                Violation = violations.ToArray(),
            };
        }

        void Check(int part, IDictionary<string, string> texts, string name, Func<string, bool> holds)
        {
            string text = Of(texts, name);
            if (!holds(text))
                violations.Add(new Violation { Part = part.ToString(CultureInfo.InvariantCulture), Element = name, Value = text });
        }

        static string Of(IDictionary<string, string> texts, string name)
        {
            string text;
            return texts.TryGetValue(name, out text) ? text : "";
        }

        static bool IsTotal(string quantity, string price, string total)
        {
            if (!Total.IsMatch(total))
                return false;
            return !Quantity.IsMatch(quantity) || !Price.IsMatch(price) || Number(quantity) * Number(price) == Number(total);
        }

        static decimal Number(string text)
        {
            return decimal.Parse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture);
        }

        static bool IsText(string text, int most)
        {
            return Posting.CodePoints(text) <= most && text.Trim(' ').Length > 0;
        }

        static DateTime? Date(string text)
        {
            DateTime day;
            if (!Day.IsMatch(text) || !DateTime.TryParseExact(text, "yyyy-MM-dd", CultureInfo.InvariantCulture, DateTimeStyles.None, out day))
                return null;
            return day;
        }

        static Regex Whole(string pattern)
        {
            return new Regex(@"\A(?:" + pattern + @")\z", RegexOptions.Compiled | RegexOptions.CultureInvariant);
        }
    }
}
