// Command shop-api serves the shop's REST API on a loopback port, with net/http and pgx on PostgreSQL.
package main

import (
	"context"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"sync"
	"time"

	"steelyard/soap"
)

const connectPatience = 30 * time.Second

func main() {
	ctx, cancel := context.WithTimeout(context.Background(), connectPatience)
	database, err := openDatabase(ctx)
	cancel()
	if err != nil {
		log.Fatalf("shop-api: the database cannot be reached: %v", err)
	}
	defer database.Close()
	shop := &shop{database: database, loseUpdates: os.Getenv("STEELYARD_STOCK") == "lost-update"}
	if os.Getenv("STEELYARD_ITEM_CACHE") == "kept" {
		shop.cache = &sync.Map{}
	}
	soap.Main("shop-api", shop.handler())
}

// handler serves the operations, the count of their requests, and the count of accepted orders.
func (s *shop) handler() http.Handler {
	service := &soap.Service{
		CounterPath: "/shop/count",
		Routes: map[string]http.HandlerFunc{
			"POST /shop/echo":       serveEcho,
			"GET /shop/items/{id}":  s.serveItem,
			"GET /shop/items":       s.serveItems,
			"GET /shop/search":      s.serveSearch,
			"POST /shop/orders":     s.servePlaceOrder,
			"GET /shop/orders/{id}": s.serveOrder,
			"GET /shop/static":      serveStatic,
		},
	}
	mux := http.NewServeMux()
	mux.Handle("/", service.Handler())
	mux.HandleFunc("GET /shop/accepted", func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, strconv.FormatInt(s.accepted.Load(), 10))
	})
	return mux
}

func serveStatic(w http.ResponseWriter, _ *http.Request) {
	respond(w, http.StatusOK, greeting{Service: "shop-api", Greeting: "hello"})
}

type greeting struct {
	Service  string `json:"service"`
	Greeting string `json:"greeting"`
}
