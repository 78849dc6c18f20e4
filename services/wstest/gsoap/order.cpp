#include "order.h"

#include <cstdarg>
#include <cstdio>

namespace {

std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));

std::string text(const char *format, ...) {
    char written[64];
    va_list values;
    va_start(values, format);
    vsnprintf(written, sizeof written, format, values);
    va_end(values);
    return written;
}

std::string money(int cents) {
    return text("%d.%02d", cents / 100, cents % 100);
}

w__Address *address(struct soap *soap, int k) {
    return soap_new_req_w__Address(soap, text("%d Main Street", 1 + k % 199), text("City %d", k % 100),
                                   text("State %d", k % 50), text("%05d", k % 100000), "US");
}

}  // namespace

w__PurchaseOrder *purchase_order(struct soap *soap, int n) {
    const int customer = 1000 + n % 9000;
    std::vector<w__LineItem *> items;
    int total = 0;
    for (int i = 1; i <= 5 + n % 6; i++) {
        const int quantity = 1 + (n + i) % 9;
        const int cents = 100 + 7 * (n % 1000) + 25 * i;
        total += quantity * cents;
        items.push_back(soap_new_req_w__LineItem(soap, i, text("SKU-%05d", n % 10000 + 37 * i),
                                                 text("Nuts & bolts, size %d", 1 + (n + i) % 12), quantity,
                                                 money(cents)));
    }
    return soap_new_req_w__PurchaseOrder(
        soap, n, text("PO-%09d", n), text("2004-%02d-%02d", 1 + n % 12, 1 + n % 28),
        soap_new_req_w__Customer(soap, customer, text("Customer %d", customer), text("customer%d@example.com", customer)),
        address(soap, n), address(soap, n / 10), items, money(total));
}
