package soap

import (
	"bytes"
	"net"
	"sync"
	"time"
)

// preface is what a client of HTTP/2 says first where it knows beforehand that the server speaks it (RFC 9113, section 3.4).
const preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// split is one listener as two: connections that begin with the preface, and all others.
type split struct {
	http2, others *part
}

func splitByPreface(listener net.Listener) *split {
	whole := &shared{listener: listener, closed: make(chan struct{})}
	s := &split{newPart(whole), newPart(whole)}
	go s.accept(whole)
	return s
}

func (s *split) accept(whole *shared) {
	for {
		conn, err := whole.listener.Accept()
		if err != nil {
			whole.fail(err)
			return
		}
		go s.sort(conn)
	}
}

// sort reads the first bytes of a connection: as many as are those of the preface. A client that says nothing is waited for as the
// server of HTTP/1.1 would.
func (s *split) sort(conn net.Conn) {
	begun := &begunConn{Conn: conn}
	conn.SetReadDeadline(time.Now().Add(30 * time.Second))
	buffer := make([]byte, len(preface))
	for bytes.HasPrefix([]byte(preface), begun.first) && len(begun.first) < len(preface) {
		n, err := conn.Read(buffer[:len(preface)-len(begun.first)])
		begun.first = append(begun.first, buffer[:n]...)
		if err != nil {
			conn.Close()
			return
		}
	}
	conn.SetReadDeadline(time.Time{})
	if string(begun.first) == preface {
		s.http2.hand(begun)
	} else {
		s.others.hand(begun)
	}
}

// shared is what both parts have in common; it is closed with either.
type shared struct {
	listener net.Listener
	once     sync.Once
	closed   chan struct{}
	err      error
}

func (s *shared) fail(err error) {
	s.once.Do(func() {
		s.err = err
		close(s.closed)
	})
}

// part is a listener that is handed its connections.
type part struct {
	whole *shared
	conns chan net.Conn
}

func newPart(whole *shared) *part { return &part{whole, make(chan net.Conn)} }

func (p *part) hand(conn net.Conn) {
	select {
	case p.conns <- conn:
	case <-p.whole.closed:
		conn.Close()
	}
}

func (p *part) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.whole.closed:
		return nil, p.whole.err
	}
}

func (p *part) Close() error {
	err := p.whole.listener.Close()
	p.whole.fail(net.ErrClosed)
	return err
}

func (p *part) Addr() net.Addr { return p.whole.listener.Addr() }

// begunConn is a connection of which the first bytes have been read already.
type begunConn struct {
	net.Conn
	first []byte
}

func (c *begunConn) Read(b []byte) (int, error) {
	if len(c.first) > 0 {
		n := copy(b, c.first)
		c.first = c.first[n:]
		return n, nil
	}
	return c.Conn.Read(b)
}
