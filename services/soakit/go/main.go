// Command soakit serves the three use cases of the SOA knowledge kit over SOAP 1.1 on a loopback port, with the standard library alone.
package main

import (
	"net/http"

	"steelyard/soap"
)

const (
	servicePath  = "/soakit/"
	counterPath  = "/soakit/count"
	serviceSpace = "urn:steelyard:soakit"
	mostDepth    = 100
)

func main() { soap.Main("soakit", newHandler()) }

func newHandler() http.Handler {
	service := soap.Service{CounterPath: counterPath, Paths: map[string]soap.Answering{}, MostDepth: mostDepth}
	for _, useCase := range useCases {
		service.Paths[servicePath+useCase.path] = documentIn(useCase)
		service.Paths[servicePath+useCase.path+"Rpc"] = documentIn(useCase)
	}
	service.Paths[servicePath+"Text"] = answerText
	service.Paths[servicePath+"TextRpc"] = answerTextRpc
	return service.Handler()
}
