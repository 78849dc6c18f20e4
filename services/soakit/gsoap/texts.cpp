#include "texts.h"

#include <algorithm>

#include "settings.h"

extern struct Namespace namespaces[];

namespace {

// Whether a document type stands before the document: gSOAP would pass over it.
bool has_document_type(const std::string &text) {
    size_t at = 0;
    for (;;) {
        at = std::min(text.find('<', at), text.size());
        if (text.compare(at, 2, "<?") == 0) {
            at = text.find("?>", at);
        } else if (text.compare(at, 4, "<!--") == 0) {
            at = text.find("-->", at);
        } else {
            return text.compare(at, 2, "<!") == 0;
        }
    }
}

const std::string &untyped(const std::string &text) {
    if (has_document_type(text)) {
        throw BadDocument("the document has a document type");
    }
    return text;
}

}  // namespace

TextContext::TextContext(const std::string &text) : source(untyped(text)), soap(soap_new1(reading_mode)) {
    soap_set_namespaces(soap, namespaces);
    soap->maxlevel = most_depth;
    soap->is = &source;
}

TextContext::~TextContext() {
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
}

// gSOAP passes over a text between elements.
void TextContext::require_end() {
    soap_wchar next = soap_getchar(soap);
    while (next == ' ' || next == '\t' || next == '\r' || next == '\n') {
        next = soap_getchar(soap);
    }
    soap_unget(soap, next);
    if ((next != '<' && static_cast<int>(next) != EOF) || soap_peek_element(soap) != SOAP_EOF) {
        throw BadDocument("the text holds more than a document");
    }
    soap->error = SOAP_OK;
    soap_end_recv(soap);
}

void TextContext::refuse() {
    soap_set_fault(soap);
    throw BadDocument(*soap_faultstring(soap) ? *soap_faultstring(soap) : "the text is not the document that is due");
}
