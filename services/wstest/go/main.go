// Command wstest serves WSTest on a loopback port: SOAP 1.1 and 1.2, REST/JSON and JSON-RPC 2.0 with the standard library alone, and beside
// them gRPC with its own.
package main

import (
	"bytes"
	"encoding/xml"
	"fmt"

	"steelyard/soap"
)

const (
	servicePath    = "/wstest/WSTest"
	servicePath12  = "/wstest/WSTest12"
	counterPath    = "/wstest/count"
	operationSpace = "urn:steelyard:wstest"
)

func main() {
	service := newService()
	soap.MainBeside("wstest", service.Handler(), newGRPCServer(service))
}

func newService() *soap.Service {
	return &soap.Service{
		CounterPath: counterPath,
		Paths:       map[string]soap.Answering{servicePath: answer},
		Paths12:     map[string]soap.Answering{servicePath12: answer},
		Routes:      jsonRoutes(),
	}
}

// answer answers by the name of the request's element.
func answer(in *soap.Reader, start *xml.StartElement, out *bytes.Buffer) error {
	operation, known := operations[start.Name.Local]
	if !known || start.Name.Space != operationSpace {
		return fmt.Errorf("no operation {%s}%s", start.Name.Space, start.Name.Local)
	}
	answer, err := operation(in.Decoder, start)
	if err != nil {
		return err
	}
	return xml.NewEncoder(out).Encode(answer)
}
