#pragma once

#include <sstream>

#include "documents.h"

// A context of its own for a document that is a string, and for the answer as one.
class TextContext {
    std::istringstream source;

public:
    explicit TextContext(const std::string &text);
    ~TextContext();

    // Reads a document whose root is `tag`, and nothing behind it.
    template <class Document>
    void read(Document &document, const char *tag) {
        document.soap_default(soap);
        if (soap_begin_recv(soap) || !document.soap_get(soap, tag, nullptr)) {
            refuse();
        }
        require_end();
    }

    // A document as a string.
    template <class Document>
    std::string written(const Document &document, const char *tag) {
        std::ostringstream out;
        soap->os = &out;
        document.soap_serialize(soap);
        if (soap_begin_send(soap) || document.soap_put(soap, tag, nullptr) || soap_end_send(soap)) {
            refuse();
        }
        return out.str();
    }

    struct soap *soap;

private:
    void require_end();
    [[noreturn]] void refuse();
};
