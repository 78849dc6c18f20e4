// Serves the three use cases of the SOA knowledge kit: a service class of gSOAP at each address; by rpc/literal one at four, since
// wsdl2h makes one of all bindings whose operations stand in the contract's own namespace.

#include "TextBinding.nsmap"
#include "server.h"
#include "settings.h"
#include "soapBuffetBindingService.h"
#include "soapSushiBoatsBindingService.h"
#include "soapTVDinnerBindingService.h"
#include "soapTVDinnerRpcBindingService.h"
#include "soapTextBindingService.h"

namespace {

const Addresses addresses = {{"/soakit/TVDinner", "/soakit/SushiBoats", "/soakit/Buffet", "/soakit/Text", "/soakit/TVDinnerRpc",
                              "/soakit/SushiBoatsRpc", "/soakit/BuffetRpc", "/soakit/TextRpc"},
                             "/soakit/count"};
const unsigned int around_a_document = 3;  // envelope, body, wrapper

int dispatch(struct soap *soap) {
    const std::string path = soap->path;
    if (path == "/soakit/TVDinner") {
        return TVDinnerBindingService(soap).dispatch();
    }
    if (path == "/soakit/SushiBoats") {
        return SushiBoatsBindingService(soap).dispatch();
    }
    if (path == "/soakit/Buffet") {
        return BuffetBindingService(soap).dispatch();
    }
    if (path == "/soakit/Text") {
        return TextBindingService(soap).dispatch();
    }
    const std::string rpc = "Rpc";
    if (path.size() > rpc.size() && path.compare(path.size() - rpc.size(), rpc.size(), rpc) == 0) {
        return TVDinnerRpcBindingService(soap).dispatch();
    }
    return soap->error = SOAP_NO_METHOD;
}

// What a generated class does with a connection, for all.
int answer(struct soap *soap) {
    soap->keep_alive = soap->max_keep_alive + 1;
    do {
        if (soap_begin_serve(soap)) {
            if (soap->error >= SOAP_STOP) {
                continue;
            }
            return soap->error;
        }
        if ((dispatch(soap) || soap->fserveloop(soap)) && soap->error && soap->error < SOAP_STOP) {
            return soap_send_fault(soap);
        }
    } while (soap->keep_alive);
    return SOAP_OK;
}

}  // namespace

int main(int arguments, char **argument) {
    struct soap *context = soap_new1(SOAP_IO_KEEPALIVE | reading_mode);
    soap_set_namespaces(context, namespaces);
    context->maxlevel = most_depth + around_a_document;
    return serve(arguments, argument, context, addresses, answer);
}
