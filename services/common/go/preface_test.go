package soap

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"
)

// told is a server beside HTTP/1.1 that answers what a connection begins with.
type told struct{}

func (told) Serve(listener net.Listener) error {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return err
		}
		begin := make([]byte, len(preface)+1)
		if _, err := io.ReadFull(conn, begin); err == nil {
			conn.Write(begin)
		}
		conn.Close()
	}
}

func (told) GracefulStop() {}

func (told) Stop() {}

// serving runs serve on a port that is free until the test ends.
func serving(t *testing.T, beside Beside) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "by HTTP/1.1") })
	go func() { ended <- serve(ctx, address, "", handler, beside) }()
	t.Cleanup(func() {
		end()
		if err := <-ended; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Error(err)
		}
	})
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			return address
		}
		time.Sleep(time.Millisecond)
	}
}

func asked(t *testing.T, address string, pieces ...string) string {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, piece := range pieces {
		if _, err := io.WriteString(conn, piece); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
	answer, _ := io.ReadAll(conn)
	return string(answer)
}

func TestAConnectionGoesToTheServerThatItsFirstBytesNameHoweverTheyAreCut(t *testing.T) {
	address := serving(t, told{})
	for cut := 1; cut < len(preface); cut++ {
		if got := asked(t, address, preface[:cut], preface[cut:]+"x"); got != preface+"x" {
			t.Fatalf("cut at %d: %q", cut, got)
		}
	}
	request := "PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
	for _, cut := range []int{1, 2, 20} {
		got := asked(t, address, request[:cut], request[cut:])
		if len(got) < 12 || got[:12] != "HTTP/1.1 200" || got[len(got)-11:] != "by HTTP/1.1" {
			t.Errorf("cut at %d: %q", cut, got)
		}
	}
}

func TestAClientThatSaysNothingHoldsUpNobody(t *testing.T) {
	address := serving(t, told{})
	silent, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	if got := asked(t, address, preface+"x"); got != preface+"x" {
		t.Errorf("got %q", got)
	}
}
