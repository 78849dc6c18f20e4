using System.Globalization;

namespace Steelyard.Shop
{
    /// <summary>What a text of a request may be.</summary>
    static class Texts
    {
        const int MostIds = 100;

        /// <summary>Whether a text has so many characters, by code points, and none that PostgreSQL does not keep.</summary>
        public static bool IsText(string? text, int least, int most)
        {
            if (text == null || text.Contains('\0'))
                return false;
            int length = text.EnumerateRunes().Count();
            return length >= least && length <= most;
        }

        /// <summary>A positive number in text; null where it is none.</summary>
        public static long? Positive(string? text)
        {
            return long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number > 0
                ? number
                : null;
        }

        /// <summary>Positive numbers parted by commas, at most 100; null where they are none.</summary>
        public static long[]? Positives(string? text)
        {
            string[] words = (text ?? "").Split(',', MostIds + 1);
            long?[] numbers = Array.ConvertAll(words, Positive);
            return words.Length > MostIds || numbers.Contains(null) ? null : Array.ConvertAll(numbers, number => number!.Value);
        }
    }
}
