// The operations of WSTest, as methods of the service class that soapcpp2 generates.
// What they answer with is allocated in the context, which frees it after the answer.

#include "order.h"
#include "soapWSTestBindingService.h"

int WSTestBindingService::echoVoid(_w__echoVoid *, _w__echoVoidResponse &) {
    return SOAP_OK;
}

int WSTestBindingService::echoStruct(_w__echoStruct *request, _w__echoStructResponse &response) {
    response.return_ = request->struct_;
    return SOAP_OK;
}

int WSTestBindingService::echoList(_w__echoList *request, _w__echoListResponse &response) {
    response.return_ = request->list;
    return SOAP_OK;
}

int WSTestBindingService::echoSynthetic(_w__echoSynthetic *request, _w__echoSyntheticResponse &response) {
    response.return_ = soap_new_req_w__Synthetic(soap, request->text, request->struct_, request->bytes);
    return SOAP_OK;
}

int WSTestBindingService::getOrder(_w__getOrder *request, _w__getOrderResponse &response) {
    response.return_ = purchase_order(soap, request->orderId);
    return SOAP_OK;
}
