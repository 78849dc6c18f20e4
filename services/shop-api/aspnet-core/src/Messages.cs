using System.Text.RegularExpressions;

namespace Steelyard.Shop
{
    /// <summary>The request and the answer of `echo`. A null where none may be is found by IsValid, a missing key by the reader.</summary>
    sealed partial record Message
    {
        public required string Reference { get; init; }
        public required Customer Customer { get; init; }
        public required MessageLine[] Lines { get; init; }
        public required bool Gift { get; init; }
        public required double DiscountPercent { get; init; }
        public required string Note { get; init; }

        public bool IsValid()
        {
            return Texts.IsText(Reference, 1, 100) && Customer is { } customer && customer.IsValid()
                && Lines is { Length: >= 1 and <= 50 } && Lines.All(line => line is { } given && given.IsValid())
                && DiscountPercent is >= 0 and <= 100 && Texts.IsText(Note, 0, 500);
        }
    }

    sealed partial record Customer
    {
        public required string Name { get; init; }
        public required string Email { get; init; }
        public required Address Address { get; init; }

        public bool IsValid()
        {
            return Texts.IsText(Name, 1, 100) && Texts.IsText(Email, 1, 200) && EmailForm().IsMatch(Email)
                && Address is { } address && address.IsValid();
        }

        [GeneratedRegex(@"\A[^@\s]+@[^@\s]+\z")]
        private static partial Regex EmailForm();
    }

    sealed partial record Address
    {
        public required string Street { get; init; }
        public required string City { get; init; }
        public required string PostalCode { get; init; }
        public required string Country { get; init; }

        public bool IsValid()
        {
            return Texts.IsText(Street, 1, 100) && Texts.IsText(City, 1, 100) && Texts.IsText(PostalCode, 1, 20)
                && Country != null && CountryForm().IsMatch(Country);
        }

        [GeneratedRegex(@"\A[A-Z]{2}\z")]
        private static partial Regex CountryForm();
    }

    sealed record MessageLine
    {
        public required string Sku { get; init; }
        public required long Quantity { get; init; }
        public required long PriceCents { get; init; }
        public required string[] Tags { get; init; }

        public bool IsValid()
        {
            return Texts.IsText(Sku, 1, 30) && Quantity is >= 1 and <= 1000 && PriceCents is >= 0 and <= 10_000_000
                && Tags is { Length: <= 8 } && Tags.All(tag => Texts.IsText(tag, 1, 30));
        }
    }

    sealed record Item(long Id, string Name, string Keyword, long PriceCents, string Description);

    sealed record ItemList(IReadOnlyList<Item> Items);

    sealed record OrderRequest
    {
        public required string Customer { get; init; }
        public required LineRequest[] Lines { get; init; }

        public bool IsValid()
        {
            return Texts.IsText(Customer, 1, 100) && Lines is { Length: >= 1 and <= 10 }
                && Lines.All(line => line is { Item: >= 1, Quantity: >= 1 and <= 100 })
                && Lines.DistinctBy(line => line.Item).Count() == Lines.Length;
        }
    }

    sealed record LineRequest
    {
        public required long Item { get; init; }
        public required long Quantity { get; init; }
    }

    sealed record OrderLine(long Item, string Name, long Quantity, long PriceCents);

    sealed record PlacedOrder(string Customer, IReadOnlyList<OrderLine> Lines)
    {
        public long TotalCents => Lines.Sum(line => line.Quantity * line.PriceCents);
    }

    sealed record Order(long Id, string Customer, IReadOnlyList<OrderLine> Lines)
    {
        public long TotalCents => Lines.Sum(line => line.Quantity * line.PriceCents);
    }

    sealed record Welcome(string Service, string Greeting)
    {
        public static readonly Welcome Constant = new("shop-api", "hello");
    }

    sealed record Refusal(string Error);
}
