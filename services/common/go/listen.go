package soap

import (
	"crypto/tls"
	"net"
	"path/filepath"
)

// listen takes connections on address: over TLS where certificate names a folder with certificate.pem and key.pem. http2 says that
// HTTP/2 may be agreed on then, too; who can do both is answered by HTTP/1.1.
func listen(address, certificate string, http2 bool) (net.Listener, error) {
	if certificate == "" {
		return net.Listen("tcp", address)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(certificate, "certificate.pem"), filepath.Join(certificate, "key.pem"))
	if err != nil {
		return nil, err
	}
	protocols := []string{"http/1.1"}
	if http2 {
		protocols = append(protocols, "h2")
	}
	return tls.Listen("tcp", address, &tls.Config{Certificates: []tls.Certificate{pair}, NextProtos: protocols})
}
