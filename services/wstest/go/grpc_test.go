package main

import (
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"steelyard/soap"
	"steelyard/wstest/wstestpb"
)

// newClient asks a server of its own, whose service it gives too.
func newClient(t *testing.T) (wstestpb.WSTestClient, *soap.Service) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	service := newService()
	server := newGRPCServer(service)
	go server.Serve(listener)
	t.Cleanup(server.Stop)
	connection, err := grpc.NewClient(listener.Addr().String(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { connection.Close() })
	return wstestpb.NewWSTestClient(connection), service
}

func TestValuesComeBackByGRPC(t *testing.T) {
	client, _ := newClient(t)
	ctx := context.Background()
	item := &wstestpb.Structure{VarInt: math.MinInt32, VarFloat: float32(math.Inf(-1)), VarString: "a\r\u0416 "}
	var list *wstestpb.ListItem
	for range 200 {
		list = &wstestpb.ListItem{Value: item, Next: list}
	}
	if _, err := client.EchoVoid(ctx, &wstestpb.EchoVoidRequest{}); err != nil {
		t.Error(err)
	}
	structs := []*wstestpb.Structure{item, {}, item}
	if got, err := client.EchoStruct(ctx, &wstestpb.EchoStructRequest{Structs: structs}); err != nil ||
		!proto.Equal(got, &wstestpb.EchoStructResponse{Structs: structs}) {
		t.Errorf("%v, %v", got, err)
	}
	for _, list := range []*wstestpb.ListItem{list, nil} {
		if got, err := client.EchoList(ctx, &wstestpb.EchoListRequest{List: list}); err != nil ||
			!proto.Equal(got, &wstestpb.EchoListResponse{List: list}) {
			t.Errorf("%v, %v", got, err)
		}
	}
	several := &wstestpb.EchoSyntheticRequest{Text: "t", Struct: item, Bytes: []byte{0, 255}}
	if got, err := client.EchoSynthetic(ctx, several); err != nil ||
		!proto.Equal(got, &wstestpb.EchoSyntheticResponse{Text: "t", Struct: item, Bytes: []byte{0, 255}}) {
		t.Errorf("%v, %v", got, err)
	}
	order, err := client.GetOrder(ctx, &wstestpb.GetOrderRequest{OrderId: 7})
	if err != nil || order.Reference != "PO-000000007" || len(order.Items) != 6 || order.ShippingAddress.City != "City 0" {
		t.Errorf("%v, %v", order, err)
	}
}

func TestWhatIsWrongGetsAStatusOfGRPC(t *testing.T) {
	client, _ := newClient(t)
	ctx := context.Background()
	if _, err := client.GetOrder(ctx, &wstestpb.GetOrderRequest{OrderId: -1}); status.Code(err) != codes.NotFound {
		t.Errorf("an order that is not there: %v", err)
	}
	busy := metadata.AppendToOutgoingContext(ctx, soap.BusyHeader, "NaN")
	if _, err := client.EchoVoid(busy, &wstestpb.EchoVoidRequest{}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("no number of microseconds: %v", err)
	}
	large := &wstestpb.EchoSyntheticRequest{Bytes: make([]byte, soap.MaxRequestBytes)}
	if _, err := client.EchoSynthetic(ctx, large); status.Code(err) != codes.ResourceExhausted {
		t.Errorf("a message over the limit: %v", err)
	}
}

func TestRequestsByGRPCAreCountedAndKeptBusyAsTheOthersAre(t *testing.T) {
	client, service := newClient(t)
	began := time.Now()
	busy := metadata.AppendToOutgoingContext(context.Background(), soap.BusyHeader, "20000")
	if _, err := client.EchoVoid(busy, &wstestpb.EchoVoidRequest{}); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 20*time.Millisecond {
		t.Errorf("20 ms of processor time took %v", took)
	}
	counter := httptest.NewServer(service.Handler())
	defer counter.Close()
	answer, err := http.Get(counter.URL + counterPath)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if count, _ := io.ReadAll(answer.Body); string(count) != "1" {
		t.Errorf("count %s, expected 1", count)
	}
}
