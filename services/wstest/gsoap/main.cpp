// Serves WSTest.

#include "WSTestBinding.nsmap"
#include "server.h"
#include "soapWSTestBindingService.h"

namespace {

const Addresses addresses = {{"/wstest/WSTest"}, "/wstest/count"};

int answer(struct soap *soap) {
    return WSTestBindingService(soap).serve();
}

}  // namespace

int main(int arguments, char **argument) {
    WSTestBindingService service(SOAP_IO_KEEPALIVE | SOAP_XML_STRICT | SOAP_C_UTFSTRING);
    return serve(arguments, argument, service.soap, addresses, answer);
}
