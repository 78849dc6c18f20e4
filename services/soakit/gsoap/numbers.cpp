#include "numbers.h"

#include <algorithm>

#include "documents.h"

namespace {

const size_t places = 6;
const size_t most_digits = 38;
const Number million = 1000000;
const char *const white_space = " \t\r\n";

bool is_digits(const std::string &text) {
    return std::all_of(text.begin(), text.end(), [](char letter) { return letter >= '0' && letter <= '9'; });
}

// Takes a sign from the front of a text; whether it was a minus.
bool take_sign(std::string &text) {
    const bool minus = !text.empty() && text[0] == '-';
    if (minus || (!text.empty() && text[0] == '+')) {
        text.erase(0, 1);
    }
    return minus;
}

Number of_digits(const std::string &digits) {
    Number number = 0;
    for (const char digit : digits) {
        number = 10 * number + (digit - '0');
    }
    return number;
}

Number fitting(bool overflowed, Number number) {
    if (overflowed) {
        throw BadDocument("a number is too large");
    }
    return number;
}

}  // namespace

std::string trimmed(const std::string &text) {
    const size_t begin = text.find_first_not_of(white_space);
    return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of(white_space) - begin + 1);
}

Number decimal(const std::string &text) {
    std::string number = trimmed(text);
    const bool minus = take_sign(number);
    const size_t point = number.find('.');
    const std::string whole = number.substr(0, point);
    std::string fraction = point == std::string::npos ? "" : number.substr(point + 1);
    if (!is_digits(whole) || !is_digits(fraction) || whole.empty() + fraction.empty() == 2) {
        throw BadDocument("a text is no number");
    }
    if (fraction.size() > places || whole.size() > most_digits - places) {
        throw BadDocument("a number has too many digits");
    }
    fraction.append(places - fraction.size(), '0');
    return (minus ? -1 : 1) * of_digits(whole + fraction);
}

std::string integer(const std::string &text) {
    std::string number = trimmed(text);
    const bool minus = take_sign(number);
    if (number.empty() || !is_digits(number) || number.size() > most_digits) {
        throw BadDocument("a text is no whole number");
    }
    number.erase(0, std::min(number.find_first_not_of('0'), number.size() - 1));
    return minus && number != "0" ? "-" + number : number;
}

Number sum(Number a, Number b) {
    Number result;
    const bool overflowed = __builtin_add_overflow(a, b, &result);
    return fitting(overflowed, result);
}

Number difference(Number a, Number b) {
    Number result;
    const bool overflowed = __builtin_sub_overflow(a, b, &result);
    return fitting(overflowed, result);
}

Number product(Number a, Number b) {
    Number result;
    const bool overflowed = __builtin_mul_overflow(a, b, &result);
    return fitting(overflowed, result);
}

Number scaled(Number millionths) {
    return product(millionths, million);
}

std::string written(Number number, int times_six) {
    const size_t after_the_point = places * times_six;
    std::string digits;
    for (Number left = number; left != 0 || digits.size() <= after_the_point; left /= 10) {
        const int digit = static_cast<int>(left % 10);
        digits.push_back(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
    digits.insert(after_the_point, ".");
    std::reverse(digits.begin(), digits.end());
    digits.erase(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') {
        digits.pop_back();
    }
    return number < 0 ? "-" + digits : digits;
}
