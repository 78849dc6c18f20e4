// Package soap is what the services in Go share: SOAP over HTTP with the standard library alone, the count of requests, and
// the header that keeps a request busy.
package soap

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Main is a service's whole program: it serves handler on the port that the command line names until a signal ends it.
func Main(name string, handler http.Handler) { MainBeside(name, handler, nil) }

// Beside is a server of HTTP/2 that answers on the same port as HTTP/1.1, as grpc.Server does.
type Beside interface {
	Serve(net.Listener) error
	GracefulStop()
	Stop()
}

// MainBeside is Main with a server beside the handler, to which connections go that begin with HTTP/2's preface; nil where there is none.
func MainBeside(name string, handler http.Handler, beside Beside) {
	port := flag.Int("port", 8080, "port of STEELYARD_HOST to listen on")
	certificate := flag.String("certificate", "", "folder with certificate.pem and key.pem; without it there is no TLS")
	flag.Parse()
	host := cmp.Or(os.Getenv("STEELYARD_HOST"), "127.0.0.1")
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	if err := serve(ctx, fmt.Sprintf("%s:%d", host, *port), *certificate, handler, beside); err != nil {
		log.Fatalf("%s: %v", name, err)
	}
}

const patience = 5 * time.Second

// serve answers on address until the context ends, then lets requests in flight finish; over TLS where there is a certificate.
func serve(ctx context.Context, address, certificate string, handler http.Handler, beside Beside) error {
	listener, err := listen(address, certificate, beside != nil)
	if err != nil {
		return err
	}
	server := &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 30 * time.Second,
		ReadTimeout:       2 * time.Minute,
		IdleTimeout:       15 * time.Minute,
	}
	failed := make(chan error, 2)
	if beside != nil {
		split := splitByPreface(listener)
		listener = split.others
		go func() { failed <- beside.Serve(split.http2) }()
	}
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	if beside != nil {
		ended := time.AfterFunc(patience, beside.Stop)
		defer ended.Stop()
		defer beside.GracefulStop()
	}
	limit, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(limit); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}
