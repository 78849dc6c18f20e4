// The Buffet: every element of an order is checked by its rule.

#include <cstdlib>
#include <cstring>

#include "documents.h"

namespace {

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_capital(char letter) {
    return letter >= 'A' && letter <= 'Z';
}

bool is_of_a_name(char letter) {
    return is_digit(letter) || is_capital(letter) || (letter >= 'a' && letter <= 'z') || letter == '-';
}

// Whether a text is of a form: # is a digit there, @ a capital letter, anything else itself.
bool is_formed(const std::string &text, const char *form) {
    if (text.size() != strlen(form)) {
        return false;
    }
    for (size_t i = 0; i < text.size(); i++) {
        if (form[i] == '#' ? !is_digit(text[i]) : form[i] == '@' ? !is_capital(text[i]) : text[i] != form[i]) {
            return false;
        }
    }
    return true;
}

bool is_number(const std::string &text, size_t most_digits) {
    return !text.empty() && text.size() <= most_digits && text.find_first_not_of("0123456789") == std::string::npos;
}

bool is_quantity(const std::string &text) {
    return is_number(text, 4) && text[0] != '0';
}

// So many digits at most, a point, two digits.
bool is_amount(const std::string &text, size_t most_digits) {
    return text.size() > 3 && is_number(text.substr(0, text.size() - 3), most_digits) &&
           is_formed(text.substr(text.size() - 3), ".##");
}

long cents(std::string amount) {
    return strtol(amount.erase(amount.size() - 3, 1).c_str(), nullptr, 10);
}

bool is_text(const std::string &text, long most_characters) {
    long characters = 0;
    for (const char byte : text) {
        characters += (byte & 0xC0) != 0x80;
    }
    return characters <= most_characters && text.find_first_not_of(' ') != std::string::npos;
}

bool is_mail(const std::string &text) {
    const size_t at = text.find('@');
    if (at == 0 || at == std::string::npos) {
        return false;
    }
    for (size_t i = 0; i < at; i++) {
        if (!is_of_a_name(text[i]) && text[i] != '.' && text[i] != '_') {
            return false;
        }
    }
    int names = 0;
    size_t length = 0;
    for (size_t i = at + 1; i <= text.size(); i++) {
        if (i == text.size() || text[i] == '.') {
            if (length == 0) {
                return false;
            }
            names++;
            length = 0;
        } else if (is_of_a_name(text[i])) {
            length++;
        } else {
            return false;
        }
    }
    return names >= 2;
}

// Whether it is a day of the years 2000 to 2099.
bool is_day(const std::string &text) {
    if (!is_formed(text, "20##-##-##")) {
        return false;
    }
    const int days_of[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int year = atoi(text.substr(0, 4).c_str()), month = atoi(text.substr(5, 2).c_str());
    const int day = atoi(text.substr(8, 2).c_str());
    if (month < 1 || month > 12) {
        return false;
    }
    const bool leap_day = month == 2 && year % 4 == 0;  // of these years none is left out
    return day >= 1 && day <= days_of[month - 1] + leap_day;
}

bool is_one_of(const std::string &text, std::initializer_list<const char *> codes) {
    for (const char *code : codes) {
        if (text == code) {
            return true;
        }
    }
    return false;
}

// Whether the total is quantity times unit price, which is not asked where one of these breaks its own rule.
bool is_total(const b__Part &part) {
    if (!is_amount(part.Total, 10)) {
        return false;
    }
    if (!is_quantity(part.Quantity) || !is_amount(part.UnitPrice, 6)) {
        return true;
    }
    return atol(part.Quantity.c_str()) * cents(part.UnitPrice) == cents(part.Total);
}

bool is_needed(const b__Part &part, const std::string &ordered) {
    return is_day(part.NeededBy) && (!is_day(ordered) || part.NeededBy >= ordered);
}

// Names what breaks its rule.
class Violations {
public:
    Violations(struct soap *soap, b__ValidationDocument &answer) : soap(soap), answer(answer) {}

    void check(int place, const char *name, const std::string &text, bool holds) {
        if (!holds) {
            answer.Violation.push_back(soap_new_req_b__Violation(soap, std::to_string(place), name, text));
        }
    }

private:
    struct soap *soap;
    b__ValidationDocument &answer;
};

}  // namespace

b__ValidationDocument *validate(struct soap *soap, const b__OrderDocument &order) {
    const b__OrderHeader &header = in(order.Header);
    const std::vector<b__Part *> &parts = in(order.Parts).Part;
    auto *answer = soap_new_req_b__ValidationDocument(soap, header.OrderNumber, header.Customer, std::to_string(parts.size()));
    Violations found(soap, *answer);
    found.check(0, "OrderNumber", header.OrderNumber, is_formed(header.OrderNumber, "ORD-########"));
    found.check(0, "Customer", header.Customer, is_text(header.Customer, 40));
    found.check(0, "Mail", header.Mail, is_mail(header.Mail));
    found.check(0, "Country", header.Country,
                is_one_of(header.Country, {"AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US"}));
    found.check(0, "Currency", header.Currency, is_one_of(header.Currency, {"CHF", "EUR", "GBP", "JPY", "USD"}));
    found.check(0, "OrderDate", header.OrderDate, is_day(header.OrderDate));
    int place = 0;
    for (const b__Part *pointer : parts) {
        const b__Part &part = in(pointer);
        place++;
        found.check(place, "Number", part.Number, part.Number == std::to_string(place));
        found.check(place, "Sku", part.Sku, is_formed(part.Sku, "@@@-#####"));
        found.check(place, "Description", part.Description, is_text(part.Description, 80));
        found.check(place, "Quantity", part.Quantity, is_quantity(part.Quantity));
        found.check(place, "Unit", part.Unit, is_one_of(part.Unit, {"each", "box", "kilogram", "litre", "metre"}));
        found.check(place, "UnitPrice", part.UnitPrice, is_amount(part.UnitPrice, 6));
        found.check(place, "Total", part.Total, is_total(part));
        found.check(place, "NeededBy", part.NeededBy, is_needed(part, header.OrderDate));
        found.check(place, "Warehouse", part.Warehouse, is_formed(part.Warehouse, "W##"));
    }
    return answer;
}
