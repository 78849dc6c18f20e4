// Package soap is what the services in Go share: SOAP 1.1 over HTTP with the standard library alone, the count of requests, and
// the header that keeps a request busy.
package soap

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main is a service's whole program: it serves handler on the port that the command line names until a signal ends it.
func Main(name string, handler http.Handler) {
	port := flag.Int("port", 8080, "port of STEELYARD_HOST to listen on")
	flag.Parse()
	host := cmp.Or(os.Getenv("STEELYARD_HOST"), "127.0.0.1")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := serve(ctx, fmt.Sprintf("%s:%d", host, *port), handler); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

// serve answers on address until the context ends, then lets requests in flight finish.
func serve(ctx context.Context, address string, handler http.Handler) error {
	server := &http.Server{
		Addr:              address,
		Handler:           handler,
		ReadHeaderTimeout: 30 * time.Second,
		ReadTimeout:       2 * time.Minute,
		IdleTimeout:       15 * time.Minute,
	}
	failed := make(chan error, 1)
	go func() { failed <- server.ListenAndServe() }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	patience, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(patience); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
