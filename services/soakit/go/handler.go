package main

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"
)

const maxRequestBytes = 16 << 20

// handler answers the service's two paths and counts service requests.
type handler struct {
	requests atomic.Int64
}

func newHandler() http.Handler {
	h := new(handler)
	mux := http.NewServeMux()
	for _, useCase := range useCases {
		mux.HandleFunc("POST "+servicePath+useCase.path, h.serving(documentIn(useCase)))
	}
	mux.HandleFunc("POST "+servicePath+"Text", h.serving(answerText))
	mux.HandleFunc("GET "+counterPath, h.serveCount)
	return mux
}

func (h *handler) serveCount(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, strconv.FormatInt(h.requests.Load(), 10))
}

// serving answers requests whose body holds what answer takes.
func (h *handler) serving(answer answering) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { h.serveSOAP(w, r, answer) }
}

func (h *handler) serveSOAP(w http.ResponseWriter, r *http.Request, answer answering) {
	h.requests.Add(1)
	if err := stayBusy(r.Header.Get("Steelyard-Busy-Us")); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "text/xml" {
		http.Error(w, "SOAP 1.1 comes as text/xml", http.StatusUnsupportedMediaType)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequestBytes))
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return
	}
	envelope, err := answerEnvelope(body, parameters["charset"], answer)
	if err != nil {
		writeXML(w, http.StatusInternalServerError, faultEnvelope(err))
		return
	}
	writeXML(w, http.StatusOK, envelope)
}

func writeXML(w http.ResponseWriter, status int, envelope *bytes.Buffer) {
	w.Header().Set("Content-Type", "text/xml; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(envelope.Len()))
	w.WriteHeader(status)
	envelope.WriteTo(w)
}
