package soap

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strconv"
	"sync/atomic"
)

// MaxRequestBytes is the largest body that is read.
const MaxRequestBytes = 16 << 20

// Service is what a program answers: at each path what Answering says, and at the path of the counter how many requests came.
type Service struct {
	CounterPath string
	Paths       map[string]Answering
	// Paths12 are answered in SOAP 1.2.
	Paths12 map[string]Answering
	// Routes are answered beside, in other formats: handlers by the patterns of http.ServeMux.
	Routes map[string]http.HandlerFunc
	// MostDepth is how deep the elements of an envelope may nest; 0: as deep as they like.
	MostDepth int

	requests atomic.Int64
}

// Handler serves the service's paths.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	for v, paths := range map[*version]map[string]Answering{soap11: s.Paths, soap12: s.Paths12} {
		for path, answer := range paths {
			soap := func(w http.ResponseWriter, r *http.Request) { s.serveSOAP(w, r, v, answer) }
			mux.HandleFunc("POST "+path, s.counted(soap))
		}
	}
	for pattern, handler := range s.Routes {
		mux.HandleFunc(pattern, s.counted(handler))
	}
	mux.HandleFunc("GET "+s.CounterPath, s.serveCount)
	return mux
}

func (s *Service) serveCount(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, strconv.FormatInt(s.requests.Load(), 10))
}

// Begin counts a request, and keeps it busy for so many microseconds as its header BusyHeader asks for.
func (s *Service) Begin(busyMicros string) error {
	s.requests.Add(1)
	return stayBusy(busyMicros)
}

// counted makes a handler of one whose requests are counted, and kept busy where their header asks for it.
func (s *Service) counted(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := s.Begin(r.Header.Get(BusyHeader)); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		handler(w, r)
	}
}

func (s *Service) serveSOAP(w http.ResponseWriter, r *http.Request, v *version, answer Answering) {
	mediaType, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != v.mediaType {
		http.Error(w, "SOAP "+v.name+" comes as "+v.mediaType, http.StatusUnsupportedMediaType)
		return
	}
	body, ok := ReadBody(w, r)
	if !ok {
		return
	}
	envelope, err := answerEnvelope(v, body, parameters["charset"], s.MostDepth, answer)
	if err != nil {
		status, told := faultEnvelope(v, err)
		writeXML(w, v, status, told)
		return
	}
	writeXML(w, v, http.StatusOK, envelope)
}

// ReadBody reads a request's whole body; where it cannot be had, it answers why, and ok is false.
func ReadBody(w http.ResponseWriter, r *http.Request) (body []byte, ok bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxRequestBytes))
	if err != nil {
		status := http.StatusBadRequest
		if tooLarge := (*http.MaxBytesError)(nil); errors.As(err, &tooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		http.Error(w, err.Error(), status)
		return nil, false
	}
	return body, true
}

func writeXML(w http.ResponseWriter, v *version, status int, envelope *bytes.Buffer) {
	w.Header().Set("Content-Type", v.contentType())
	w.Header().Set("Content-Length", strconv.Itoa(envelope.Len()))
	w.WriteHeader(status)
	envelope.WriteTo(w)
}
