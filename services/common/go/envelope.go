package soap

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Namespace is that of SOAP 1.1's envelopes.
const Namespace = "http://schemas.xmlsoap.org/soap/envelope/"

// The codes of faults, by SOAP 1.1 section 4.4.1.
const (
	ClientFault  = "Client"
	VersionFault = "VersionMismatch"
	HeaderFault  = "MustUnderstand"
)

const (
	actorNext     = "http://schemas.xmlsoap.org/soap/actor/next"
	envelopeOpen  = xml.Header + `<soap:Envelope xmlns:soap="` + Namespace + `"><soap:Body>`
	envelopeClose = `</soap:Body></soap:Envelope>`
)

// fault is an error that says whose it is, by SOAP 1.1 section 4.4.1.
type fault struct {
	code   string
	reason string
}

func (f *fault) Error() string { return f.reason }

// Answering reads what a SOAP body holds, whose start tag is read, to its end and writes into out what the answer's body holds.
// Every error it returns is the sender's.
type Answering func(in *Reader, start *xml.StartElement, out *bytes.Buffer) error

// answerEnvelope answers one request envelope. Every error it returns is the sender's.
func answerEnvelope(body []byte, charset string, mostDepth int, answer Answering) (*bytes.Buffer, error) {
	text, err := decodeText(body, charset)
	if err != nil {
		return nil, err
	}
	reader := NewReader(text, mostDepth)
	if err := reader.enterBody(); err != nil {
		return nil, err
	}
	start, err := reader.NextStart()
	if err != nil {
		return nil, err
	}
	if start == nil {
		return nil, errors.New("the SOAP body is empty")
	}
	out := bytes.NewBufferString(envelopeOpen)
	if err := answer(reader, start, out); err != nil {
		return nil, err
	}
	if err := reader.leave(); err != nil {
		return nil, err
	}
	out.WriteString(envelopeClose)
	return out, nil
}

// faultEnvelope is the SOAP fault that tells the sender of err.
func faultEnvelope(err error) *bytes.Buffer {
	code := ClientFault
	if f := (*fault)(nil); errors.As(err, &f) {
		code = f.code
	}
	out := bytes.NewBufferString(envelopeOpen)
	fmt.Fprintf(out, "<soap:Fault><faultcode>soap:%s</faultcode><faultstring>", code)
	xml.EscapeText(out, []byte(strings.ToValidUTF8(err.Error(), "\uFFFD")))
	out.WriteString("</faultstring></soap:Fault>" + envelopeClose)
	return out
}

// Reader walks a document, token by token, and refuses what SOAP 1.1 section 3 forbids: document type declarations.
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
func (r *Reader) enterBody() error {
	start, err := r.NextStart()
	if err != nil {
		return err
	}
	if start.Name != (xml.Name{Space: Namespace, Local: "Envelope"}) {
		return &fault{VersionFault, "not a SOAP 1.1 envelope"}
	}
	start, err = r.NextStart()
	if err != nil {
		return err
	}
	if start != nil && start.Name == (xml.Name{Space: Namespace, Local: "Header"}) {
		if err := r.passHeaders(); err != nil {
			return err
		}
		if start, err = r.NextStart(); err != nil {
			return err
		}
	}
	if start == nil || start.Name != (xml.Name{Space: Namespace, Local: "Body"}) {
		return errors.New("the envelope has no body where it should be")
	}
	return nil
}

// passHeaders skips the header's entries; none is understood, so none may demand to be.
func (r *Reader) passHeaders() error {
	for {
		entry, err := r.NextStart()
		if err != nil || entry == nil {
			return err
		}
		if demands(entry) {
			return &fault{HeaderFault, fmt.Sprintf("header {%s}%s is not understood", entry.Name.Space, entry.Name.Local)}
		}
		if err := r.Decoder.Skip(); err != nil {
			return err
		}
	}
}

// demands reports whether a header entry for us must be understood.
func demands(entry *xml.StartElement) bool {
	must, forUs := false, true
	for _, attribute := range entry.Attr {
		if attribute.Name.Space != Namespace {
			continue
		}
		switch attribute.Name.Local {
		case "mustUnderstand":
			must = attribute.Value == "1"
		case "actor":
			forUs = attribute.Value == "" || attribute.Value == actorNext
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
