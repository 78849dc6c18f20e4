package soap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// The namespaces of envelopes.
const (
	Namespace   = "http://schemas.xmlsoap.org/soap/envelope/"
	Namespace12 = "http://www.w3.org/2003/05/soap-envelope"
)

// version is one of SOAP: what its messages and its way over HTTP have of their own.
type version struct {
	name, space, mediaType string
	// role is the attribute that names whom an entry of the header is for, and forUs are the names that mean us.
	role  string
	forUs []string
	// fault is a form of fmt for a fault's element, given code and reason.
	fault string
	// senderFault is the code of a fault of the sender, and senderStatus its HTTP status.
	senderFault  string
	senderStatus int
}

// By SOAP 1.1, sections 4 and 6.
var soap11 = &version{
	name: "1.1", space: Namespace, mediaType: "text/xml",
	role: "actor", forUs: []string{"", "http://schemas.xmlsoap.org/soap/actor/next"},
	fault:       "<soap:Fault><faultcode>soap:%s</faultcode><faultstring>%s</faultstring></soap:Fault>",
	senderFault: ClientFault, senderStatus: http.StatusInternalServerError,
}

// By SOAP 1.2, part 1, sections 2 and 5, and part 2, section 7.
var soap12 = &version{
	name: "1.2", space: Namespace12, mediaType: "application/soap+xml",
	role: "role", forUs: []string{"", Namespace12 + "/role/next", Namespace12 + "/role/ultimateReceiver"},
	fault: "<soap:Fault><soap:Code><soap:Value>soap:%s</soap:Value></soap:Code>" +
		`<soap:Reason><soap:Text xml:lang="en">%s</soap:Text></soap:Reason></soap:Fault>`,
	senderFault: SenderFault, senderStatus: http.StatusBadRequest,
}

// contentType is the header field of a message.
func (v *version) contentType() string { return v.mediaType + "; charset=utf-8" }

func (v *version) open() string {
	return xml.Header + `<soap:Envelope xmlns:soap="` + v.space + `"><soap:Body>`
}

// The codes of faults, by SOAP 1.1 section 4.4.1 and SOAP 1.2 part 1, section 5.4.6; the last two are those of both.
const (
	ClientFault  = "Client"
	SenderFault  = "Sender"
	VersionFault = "VersionMismatch"
	HeaderFault  = "MustUnderstand"
)

const envelopeClose = `</soap:Body></soap:Envelope>`

// fault is an error that says by its code what it is about.
type fault struct {
	code   string
	reason string
}

func (f *fault) Error() string { return f.reason }

// Answering reads what a SOAP body holds, whose start tag is read, to its end and writes into out what the answer's body holds.
// Every error it returns is the sender's.
type Answering func(in *Reader, start *xml.StartElement, out *bytes.Buffer) error

// answerEnvelope answers one request envelope. Every error it returns is the sender's.
func answerEnvelope(v *version, body []byte, charset string, mostDepth int, answer Answering) (*bytes.Buffer, error) {
	text, err := decodeText(body, charset)
	if err != nil {
		return nil, err
	}
	reader := NewReader(text, mostDepth)
	if err := reader.enterBody(v); err != nil {
		return nil, err
	}
	start, err := reader.NextStart()
	if err != nil {
		return nil, err
	}
	if start == nil {
		return nil, errors.New("the SOAP body is empty")
	}
	out := bytes.NewBufferString(v.open())
	if err := answer(reader, start, out); err != nil {
		return nil, err
	}
	if err := reader.leave(); err != nil {
		return nil, err
	}
	out.WriteString(envelopeClose)
	return out, nil
}

// faultEnvelope is the SOAP fault that tells the sender of err, and its HTTP status.
func faultEnvelope(v *version, err error) (int, *bytes.Buffer) {
	code, status := v.senderFault, v.senderStatus
	if f := (*fault)(nil); errors.As(err, &f) {
		code, status = f.code, http.StatusInternalServerError
	}
	var reason strings.Builder
	xml.EscapeText(&reason, []byte(strings.ToValidUTF8(err.Error(), "\uFFFD")))
	out := bytes.NewBufferString(v.open())
	fmt.Fprintf(out, v.fault, code, reason.String())
	out.WriteString(envelopeClose)
	return status, out
}

// Reader walks a document, token by token, and refuses what SOAP forbids: document type declarations.
type Reader struct {
	Decoder *xml.Decoder
}

// NewReader reads a text in UTF-8, whatever its XML declaration says, whose elements nest no deeper than mostDepth, where that is
// not 0.
func NewReader(text []byte, mostDepth int) *Reader {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	if mostDepth > 0 {
		decoder = xml.NewTokenDecoder(&shallow{decoder: decoder, most: mostDepth})
	}
	return &Reader{decoder}
}

// shallow passes tokens on unless elements nest too deep, and refuses document type declarations.
type shallow struct {
	decoder     *xml.Decoder
	depth, most int
}

func (s *shallow) Token() (xml.Token, error) {
	token, err := s.decoder.RawToken()
	switch token.(type) {
	case xml.StartElement:
		s.depth++
		if s.depth > s.most {
			return nil, fmt.Errorf("elements nest more than %d deep", s.most)
		}
	case xml.EndElement:
		s.depth--
	case xml.Directive:
		return nil, errors.New("there is a document type declaration")
	}
	return token, err
}

// token is the next token that means something: comments and processing instructions are passed over.
func (r *Reader) token() (xml.Token, error) {
	for {
		token, err := r.Decoder.Token()
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.Directive:
			return nil, errors.New("SOAP messages have no document type declaration")
		case xml.CharData:
			if len(bytes.TrimSpace(token)) > 0 {
				return nil, errors.New("text where an element should be")
			}
		case xml.StartElement, xml.EndElement:
			return token, nil
		}
	}
}

// NextStart is the next start tag, or nil where the element around ends first.
func (r *Reader) NextStart() (*xml.StartElement, error) {
	token, err := r.token()
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	if start, ok := token.(xml.StartElement); ok {
		return &start, nil
	}
	return nil, nil
}

// enterBody reads up to the first thing inside the SOAP body.
func (r *Reader) enterBody(v *version) error {
	start, err := r.NextStart()
	if err != nil {
		return err
	}
	if start.Name != (xml.Name{Space: v.space, Local: "Envelope"}) {
		return &fault{VersionFault, "not a SOAP " + v.name + " envelope"}
	}
	start, err = r.NextStart()
	if err != nil {
		return err
	}
	if start != nil && start.Name == (xml.Name{Space: v.space, Local: "Header"}) {
		if err := r.passHeaders(v); err != nil {
			return err
		}
		if start, err = r.NextStart(); err != nil {
			return err
		}
	}
	if start == nil || start.Name != (xml.Name{Space: v.space, Local: "Body"}) {
		return errors.New("the envelope has no body where it should be")
	}
	return nil
}

// passHeaders skips the header's entries; none is understood, so none may demand to be.
func (r *Reader) passHeaders(v *version) error {
	for {
		entry, err := r.NextStart()
		if err != nil || entry == nil {
			return err
		}
		if v.demands(entry) {
			return &fault{HeaderFault, fmt.Sprintf("header {%s}%s is not understood", entry.Name.Space, entry.Name.Local)}
		}
		if err := r.Decoder.Skip(); err != nil {
			return err
		}
	}
}

// demands reports whether a header entry for us must be understood.
func (v *version) demands(entry *xml.StartElement) bool {
	must, forUs := false, true
	for _, attribute := range entry.Attr {
		if attribute.Name.Space != v.space {
			continue
		}
		switch attribute.Name.Local {
		case "mustUnderstand":
			must = attribute.Value == "1" || attribute.Value == "true"
		case v.role:
			forUs = slices.Contains(v.forUs, attribute.Value)
		}
	}
	return must && forUs
}

// leave reads from the end of the body's content to the end of the document.
func (r *Reader) leave() error {
	for range 2 { // Body, Envelope
		start, err := r.NextStart()
		if err != nil {
			return err
		}
		if start != nil {
			return fmt.Errorf("one element too many: %s", start.Name.Local)
		}
	}
	return r.End()
}

// End makes sure that nothing follows the root element.
func (r *Reader) End() error {
	if token, err := r.token(); err == nil {
		return fmt.Errorf("something after the document: %v", token)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
