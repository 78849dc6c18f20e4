package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	soapNamespace = "http://schemas.xmlsoap.org/soap/envelope/"
	soapActorNext = "http://schemas.xmlsoap.org/soap/actor/next"
	envelopeOpen  = xml.Header + `<soap:Envelope xmlns:soap="` + soapNamespace + `"><soap:Body>`
	envelopeClose = `</soap:Body></soap:Envelope>`
	clientFault   = "Client"
	versionFault  = "VersionMismatch"
	mustKnowFault = "MustUnderstand"
	serviceSpace  = "urn:steelyard:soakit"
	mostDepth     = 100
)

// fault is an error that says whose it is, by SOAP 1.1 section 4.4.1.
type fault struct {
	code   string
	reason string
}

func (f *fault) Error() string { return f.reason }

// answering answers what a SOAP body holds, whose start tag is read, with what the answer's body holds.
type answering func(decoder *xml.Decoder, start *xml.StartElement) ([]byte, error)

// answerEnvelope answers one request envelope. Every error it returns is the sender's.
func answerEnvelope(body []byte, charset string, answer answering) (*bytes.Buffer, error) {
	text, err := decodeText(body, charset)
	if err != nil {
		return nil, err
	}
	reader := newReader(text)
	if err := reader.enterBody(); err != nil {
		return nil, err
	}
	start, err := reader.nextStart()
	if err != nil {
		return nil, err
	}
	if start == nil {
		return nil, errors.New("the SOAP body is empty")
	}
	content, err := answer(reader.decoder, start)
	if err != nil {
		return nil, err
	}
	if err := reader.leave(); err != nil {
		return nil, err
	}
	out := bytes.NewBufferString(envelopeOpen)
	out.Write(content)
	out.WriteString(envelopeClose)
	return out, nil
}

// faultEnvelope is the SOAP fault that tells the sender of err.
func faultEnvelope(err error) *bytes.Buffer {
	code := clientFault
	if f := (*fault)(nil); errors.As(err, &f) {
		code = f.code
	}
	out := bytes.NewBufferString(envelopeOpen)
	fmt.Fprintf(out, "<soap:Fault><faultcode>soap:%s</faultcode><faultstring>", code)
	xml.EscapeText(out, []byte(strings.ToValidUTF8(err.Error(), "\uFFFD")))
	out.WriteString("</faultstring></soap:Fault>" + envelopeClose)
	return out
}

// reader walks an envelope, token by token, and refuses what SOAP 1.1 section 3 forbids: document type declarations.
type reader struct {
	decoder *xml.Decoder
}

func newReader(text []byte) *reader {
	decoder := xml.NewDecoder(bytes.NewReader(text))
	// The text is UTF-8 already, whatever its XML declaration says.
	decoder.CharsetReader = func(_ string, input io.Reader) (io.Reader, error) { return input, nil }
	return &reader{xml.NewTokenDecoder(&shallow{decoder: decoder})}
}

// shallow passes tokens on unless elements nest too deep, and refuses document type declarations.
type shallow struct {
	decoder *xml.Decoder
	depth   int
}

func (s *shallow) Token() (xml.Token, error) {
	token, err := s.decoder.RawToken()
	switch token.(type) {
	case xml.StartElement:
		s.depth++
		if s.depth > mostDepth {
			return nil, fmt.Errorf("elements nest more than %d deep", mostDepth)
		}
	case xml.EndElement:
		s.depth--
	case xml.Directive:
		return nil, errors.New("there is a document type declaration")
	}
	return token, err
}

// token is the next token that means something: comments and processing instructions are passed over.
func (r *reader) token() (xml.Token, error) {
	for {
		token, err := r.decoder.Token()
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

// nextStart is the next start tag, or nil where the element around ends first.
func (r *reader) nextStart() (*xml.StartElement, error) {
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
func (r *reader) enterBody() error {
	start, err := r.nextStart()
	if err != nil {
		return err
	}
	if start.Name != (xml.Name{Space: soapNamespace, Local: "Envelope"}) {
		return &fault{versionFault, "not a SOAP 1.1 envelope"}
	}
	start, err = r.nextStart()
	if err != nil {
		return err
	}
	if start != nil && start.Name == (xml.Name{Space: soapNamespace, Local: "Header"}) {
		if err := r.passHeaders(); err != nil {
			return err
		}
		if start, err = r.nextStart(); err != nil {
			return err
		}
	}
	if start == nil || start.Name != (xml.Name{Space: soapNamespace, Local: "Body"}) {
		return errors.New("the envelope has no body where it should be")
	}
	return nil
}

// passHeaders skips the header's entries; none is understood, so none may demand to be.
func (r *reader) passHeaders() error {
	for {
		entry, err := r.nextStart()
		if err != nil || entry == nil {
			return err
		}
		if demands(entry) {
			return &fault{mustKnowFault, fmt.Sprintf("header {%s}%s is not understood", entry.Name.Space, entry.Name.Local)}
		}
		if err := r.decoder.Skip(); err != nil {
			return err
		}
	}
}

// demands reports whether a header entry for us must be understood.
func demands(entry *xml.StartElement) bool {
	must, forUs := false, true
	for _, attribute := range entry.Attr {
		if attribute.Name.Space != soapNamespace {
			continue
		}
		switch attribute.Name.Local {
		case "mustUnderstand":
			must = attribute.Value == "1"
		case "actor":
			forUs = attribute.Value == "" || attribute.Value == soapActorNext
		}
	}
	return must && forUs
}

// leave reads from the end of the body's content to the end of the document.
func (r *reader) leave() error {
	for range 2 { // Body, Envelope
		start, err := r.nextStart()
		if err != nil {
			return err
		}
		if start != nil {
			return fmt.Errorf("one element too many: %s", start.Name.Local)
		}
	}
	return r.end()
}

// end makes sure that nothing follows the root element.
func (r *reader) end() error {
	if token, err := r.token(); err == nil {
		return fmt.Errorf("something after the document: %v", token)
	} else if !errors.Is(err, io.EOF) {
		return err
	}
	return nil
}
