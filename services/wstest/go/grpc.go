package main

import (
	"context"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"steelyard/soap"
	"steelyard/wstest/wstestpb"
)

// newGRPCServer answers WSTest by gRPC; its requests are counted with the service's others.
func newGRPCServer(service *soap.Service) *grpc.Server {
	counted := func(ctx context.Context, request any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (any, error) {
		if err := service.Begin(busyAsked(ctx)); err != nil {
			return nil, status.Error(codes.InvalidArgument, err.Error())
		}
		return handle(ctx, request)
	}
	server := grpc.NewServer(grpc.UnaryInterceptor(counted), grpc.MaxRecvMsgSize(soap.MaxRequestBytes))
	wstestpb.RegisterWSTestServer(server, wsTest{})
	return server
}

func busyAsked(ctx context.Context) string {
	if asked := metadata.ValueFromIncomingContext(ctx, soap.BusyHeader); len(asked) > 0 {
		return asked[0]
	}
	return ""
}

// wsTest answers each operation. What is echoed has one type for both ways.
type wsTest struct {
	wstestpb.UnimplementedWSTestServer
}

func (wsTest) EchoVoid(context.Context, *wstestpb.EchoVoidRequest) (*wstestpb.EchoVoidResponse, error) {
	return &wstestpb.EchoVoidResponse{}, nil
}

func (wsTest) EchoStruct(_ context.Context, request *wstestpb.EchoStructRequest) (*wstestpb.EchoStructResponse, error) {
	return &wstestpb.EchoStructResponse{Structs: request.Structs}, nil
}

func (wsTest) EchoList(_ context.Context, request *wstestpb.EchoListRequest) (*wstestpb.EchoListResponse, error) {
	return &wstestpb.EchoListResponse{List: request.List}, nil
}

func (wsTest) EchoSynthetic(
	_ context.Context, request *wstestpb.EchoSyntheticRequest,
) (*wstestpb.EchoSyntheticResponse, error) {
	return &wstestpb.EchoSyntheticResponse{Text: request.Text, Struct: request.Struct, Bytes: request.Bytes}, nil
}

func (wsTest) GetOrder(_ context.Context, request *wstestpb.GetOrderRequest) (*wstestpb.PurchaseOrder, error) {
	if request.OrderId < 0 || request.OrderId > mostOrderID {
		return nil, status.Error(codes.NotFound, errNoOrder.Error())
	}
	return orderMessage(newPurchaseOrder(request.OrderId)), nil
}

func orderMessage(order *purchaseOrder) *wstestpb.PurchaseOrder {
	message := &wstestpb.PurchaseOrder{
		OrderId:   order.OrderID,
		Reference: order.Reference,
		OrderDate: order.OrderDate,
		Customer: &wstestpb.Customer{
			CustomerId: order.Customer.CustomerID,
			Name:       order.Customer.Name,
			Email:      order.Customer.Email,
		},
		BillingAddress:  addressMessage(order.BillingAddress),
		ShippingAddress: addressMessage(order.ShippingAddress),
		Total:           int32(order.Total),
	}
	for _, item := range order.Items {
		message.Items = append(message.Items, &wstestpb.LineItem{
			LineNumber:  item.LineNumber,
			Sku:         item.SKU,
			Description: item.Description,
			Quantity:    item.Quantity,
			UnitPrice:   int32(item.UnitPrice),
		})
	}
	return message
}

func addressMessage(of address) *wstestpb.Address {
	return &wstestpb.Address{
		Street:     of.Street,
		City:       of.City,
		State:      of.State,
		PostalCode: of.PostalCode,
		Country:    of.Country,
	}
}
