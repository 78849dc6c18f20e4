#pragma once

#include <stdexcept>

#include "soapH.h"

// Says why a document is not answered.
struct BadDocument : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// What an element of a document holds; it may be missing or nil, whatever the schema says.
template <class Content>
const Content &in(const Content *element) {
    if (!element) {
        throw BadDocument("the document lacks an element");
    }
    return *element;
}

// A text without the white space around it.
std::string trimmed(const std::string &text);

// The use cases; what they answer with is allocated in the context, which frees it after the answer.
o__AcknowledgePurchaseOrderDocument *acknowledge(struct soap *soap, const o__ProcessPurchaseOrderDocument &process);
n__NewsDigestDocument *digest(struct soap *soap, const n__NewsPostingDocument &posting);
b__ValidationDocument *validate(struct soap *soap, const b__OrderDocument &order);
