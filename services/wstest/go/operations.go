package main

import "encoding/xml"

// operations answer by the name of the request's element.
var operations = map[string]func(*xml.Decoder, *xml.StartElement) (any, error){
	"echoVoid":      answering(echoVoid),
	"echoStruct":    answering(echoStruct),
	"echoList":      answering(echoList),
	"echoSynthetic": answering(echoSynthetic),
	"getOrder":      answering(getOrder),
}

// answering makes an operation of a function from request to answer.
func answering[Request, Answer any](answer func(*Request) *Answer) func(*xml.Decoder, *xml.StartElement) (any, error) {
	return func(decoder *xml.Decoder, start *xml.StartElement) (any, error) {
		request := new(Request)
		if err := decoder.DecodeElement(request, start); err != nil {
			return nil, err
		}
		return answer(request), nil
	}
}

type voidRequest struct{}

type voidAnswer struct {
	XMLName xml.Name `xml:"urn:steelyard:wstest echoVoidResponse"`
}

func echoVoid(*voidRequest) *voidAnswer { return &voidAnswer{} }

type structRequest struct {
	Struct []structure `xml:"struct"`
}

type structAnswer struct {
	XMLName xml.Name    `xml:"urn:steelyard:wstest echoStructResponse"`
	Return  []structure `xml:"return"`
}

func echoStruct(request *structRequest) *structAnswer { return &structAnswer{Return: request.Struct} }

type listRequest struct {
	List *listItem `xml:"list"`
}

type listAnswer struct {
	XMLName xml.Name  `xml:"urn:steelyard:wstest echoListResponse"`
	Return  *listItem `xml:"return"`
}

func echoList(request *listRequest) *listAnswer { return &listAnswer{Return: request.List} }

type syntheticAnswer struct {
	XMLName xml.Name   `xml:"urn:steelyard:wstest echoSyntheticResponse"`
	Return  *synthetic `xml:"return"`
}

func echoSynthetic(request *synthetic) *syntheticAnswer { return &syntheticAnswer{Return: request} }

type orderRequest struct {
	OrderID integer `xml:"orderId"`
}

type orderAnswer struct {
	XMLName xml.Name       `xml:"urn:steelyard:wstest getOrderResponse"`
	Return  *purchaseOrder `xml:"return"`
}

func getOrder(request *orderRequest) *orderAnswer {
	return &orderAnswer{Return: newPurchaseOrder(int32(request.OrderID))}
}
