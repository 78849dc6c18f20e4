// The operations, as methods of the service classes that soapcpp2 generates: each document as XML or as a string, wrapped, bare or
// as a part of an rpc/literal message.

#include "soapBuffetBindingService.h"
#include "soapSushiBoatsBindingService.h"
#include "soapTVDinnerBindingService.h"
#include "soapTVDinnerRpcBindingService.h"
#include "soapTextBindingService.h"
#include "texts.h"

namespace {

// Runs what answers a request; a bad document becomes a fault.
template <class Answering>
int answered(struct soap *soap, Answering answering) {
    try {
        answering();
        return SOAP_OK;
    } catch (const BadDocument &bad) {
        return soap_sender_fault(soap, bad.what(), nullptr);
    }
}

std::string acknowledge_text(const std::string &text) {
    TextContext context(text);
    o__ProcessPurchaseOrderDocument document;
    context.read(document, "o:ProcessPurchaseOrder");
    return context.written(*acknowledge(context.soap, document), "o:AcknowledgePurchaseOrder");
}

std::string digest_text(const std::string &text) {
    TextContext context(text);
    n__NewsPostingDocument document;
    context.read(document, "n:NewsPosting");
    return context.written(*digest(context.soap, document), "n:NewsDigest");
}

std::string validate_text(const std::string &text) {
    TextContext context(text);
    b__OrderDocument document;
    context.read(document, "b:Order");
    return context.written(*validate(context.soap, document), "b:Validation");
}

}  // namespace

int TVDinnerBindingService::tvDinner(_k__tvDinner *request, _k__tvDinnerResponse &response) {
    return answered(soap, [&] { response.o__AcknowledgePurchaseOrder = acknowledge(soap, in(in(request).o__ProcessPurchaseOrder)); });
}

int TVDinnerBindingService::tvDinnerBare(o__ProcessPurchaseOrderDocument *request, o__AcknowledgePurchaseOrderDocument &response) {
    return answered(soap, [&] { response = *acknowledge(soap, in(request)); });
}

int SushiBoatsBindingService::sushiBoats(_k__sushiBoats *request, _k__sushiBoatsResponse &response) {
    return answered(soap, [&] { response.n__NewsDigest = digest(soap, in(in(request).n__NewsPosting)); });
}

int SushiBoatsBindingService::sushiBoatsBare(n__NewsPostingDocument *request, n__NewsDigestDocument &response) {
    return answered(soap, [&] { response = *digest(soap, in(request)); });
}

int BuffetBindingService::buffet(_k__buffet *request, _k__buffetResponse &response) {
    return answered(soap, [&] { response.b__Validation = validate(soap, in(in(request).b__Order)); });
}

int BuffetBindingService::buffetBare(b__OrderDocument *request, b__ValidationDocument &response) {
    return answered(soap, [&] { response = *validate(soap, in(request)); });
}

int TextBindingService::tvDinnerText(k__TextMessage *request, k__TextAnswer &response) {
    return answered(soap, [&] { response.answer = acknowledge_text(in(request).text); });
}

int TextBindingService::tvDinnerBareText(const std::string &request, std::string &response) {
    return answered(soap, [&] { response = acknowledge_text(request); });
}

int TextBindingService::sushiBoatsText(k__TextMessage *request, k__TextAnswer &response) {
    return answered(soap, [&] { response.answer = digest_text(in(request).text); });
}

int TextBindingService::sushiBoatsBareText(const std::string &request, std::string &response) {
    return answered(soap, [&] { response = digest_text(request); });
}

int TextBindingService::buffetText(k__TextMessage *request, k__TextAnswer &response) {
    return answered(soap, [&] { response.answer = validate_text(in(request).text); });
}

int TextBindingService::buffetBareText(const std::string &request, std::string &response) {
    return answered(soap, [&] { response = validate_text(request); });
}

int TVDinnerRpcBindingService::tvDinnerRpc(o__ProcessPurchaseOrderDocument *document, k__tvDinnerRpcResponse &response) {
    return answered(soap, [&] { response.document = acknowledge(soap, in(document)); });
}

int TVDinnerRpcBindingService::sushiBoatsRpc(n__NewsPostingDocument *document, k__sushiBoatsRpcResponse &response) {
    return answered(soap, [&] { response.document = digest(soap, in(document)); });
}

int TVDinnerRpcBindingService::buffetRpc(b__OrderDocument *document, k__buffetRpcResponse &response) {
    return answered(soap, [&] { response.document = validate(soap, in(document)); });
}

int TVDinnerRpcBindingService::tvDinnerRpcText(const std::string &text, k__tvDinnerRpcTextResponse &response) {
    return answered(soap, [&] { response.answer = acknowledge_text(text); });
}

int TVDinnerRpcBindingService::sushiBoatsRpcText(const std::string &text, k__sushiBoatsRpcTextResponse &response) {
    return answered(soap, [&] { response.answer = digest_text(text); });
}

int TVDinnerRpcBindingService::buffetRpcText(const std::string &text, k__buffetRpcTextResponse &response) {
    return answered(soap, [&] { response.answer = validate_text(text); });
}
