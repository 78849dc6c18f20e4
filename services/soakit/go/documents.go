package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"

	"steelyard/soap"
)

// useCase is asked by a document, which may stand in an element of the service's; answer reads the one and gives the other.
type useCase struct {
	path     string
	element  string
	document xml.Name
	answer   func(*xml.Decoder, *xml.StartElement) (any, error)
}

var useCases = []useCase{
	{"TVDinner", "tvDinner", xml.Name{Space: orderSpace, Local: "ProcessPurchaseOrder"}, reading(acknowledge)},
	{"SushiBoats", "sushiBoats", xml.Name{Space: newsSpace, Local: "NewsPosting"}, reading(digest)},
	{"Buffet", "buffet", xml.Name{Space: buffetSpace, Local: "Order"}, reading(validate)},
}

// reading makes the reader of a document of a function from what it holds.
func reading[Document any](answer func(*Document) (any, error)) func(*xml.Decoder, *xml.StartElement) (any, error) {
	return func(decoder *xml.Decoder, start *xml.StartElement) (any, error) {
		document := new(Document)
		if err := decoder.DecodeElement(document, start); err != nil {
			return nil, err
		}
		return answer(document)
	}
}

// part is what a document is in an rpc's element; it stands in no namespace.
var part = xml.Name{Local: "document"}

// documentIn answers a use case whose document is XML of the message: wrapped, bare, or an rpc's part.
func documentIn(useCase useCase) soap.Answering {
	return func(in *soap.Reader, start *xml.StartElement, out *bytes.Buffer) error {
		element := start.Name
		rpc := element == xml.Name{Space: serviceSpace, Local: useCase.element + "Rpc"}
		bare := !rpc && element != xml.Name{Space: serviceSpace, Local: useCase.element}
		due := useCase.document
		if rpc {
			due = part
		}
		if !bare {
			var err error
			if start, err = in.NextStart(); err != nil {
				return err
			}
		}
		document, err := useCase.read(in.Decoder, start, due)
		if err != nil {
			return err
		}
		if bare {
			out.Write(document)
			return nil
		}
		if more, err := in.NextStart(); err != nil || more != nil {
			return errors.Join(err, errors.New("the message holds more than a document"))
		}
		name := element.Local + "Response"
		fmt.Fprintf(out, `<k:%s xmlns:k="%s">%s</k:%s>`, name, serviceSpace, document, name)
		return nil
	}
}

// read reads a document, which is due as an element of this name, and gives its answer as XML: an rpc's as its part.
func (u useCase) read(decoder *xml.Decoder, start *xml.StartElement, due xml.Name) ([]byte, error) {
	if start == nil || start.Name != due {
		return nil, fmt.Errorf("a %s is due", u.document.Local)
	}
	answer, err := u.answer(decoder, start)
	if err != nil {
		return nil, err
	}
	document, err := xml.Marshal(answer)
	if err != nil || due != part {
		return document, err
	}
	return asPart(document, u.document.Space)
}

// asPart is a document's content as an rpc's part. The library writes the default namespace alone, in which that does not stand.
func asPart(document []byte, space string) ([]byte, error) {
	out := new(bytes.Buffer)
	decoder, encoder := xml.NewDecoder(bytes.NewReader(document)), xml.NewEncoder(out)
	for depth := 0; ; {
		token, err := decoder.RawToken()
		if err == io.EOF {
			err := encoder.Flush()
			return out.Bytes(), err
		}
		if err != nil {
			return nil, err
		}
		switch element := token.(type) {
		case xml.StartElement:
			element.Name.Local = "a:" + element.Name.Local
			if depth == 0 {
				element = xml.StartElement{Name: part, Attr: []xml.Attr{{Name: xml.Name{Local: "xmlns:a"}, Value: space}}}
			}
			depth++
			token = element
		case xml.EndElement:
			depth--
			element.Name.Local = "a:" + element.Name.Local
			if depth == 0 {
				element = xml.EndElement{Name: part}
			}
			token = element
		}
		if err := encoder.EncodeToken(token); err != nil {
			return nil, err
		}
	}
}

// answerTextRpc answers all use cases whose document is a string and an rpc's part.
func answerTextRpc(in *soap.Reader, start *xml.StartElement, out *bytes.Buffer) error {
	for _, useCase := range useCases {
		if start.Name != (xml.Name{Space: serviceSpace, Local: useCase.element + "RpcText"}) {
			continue
		}
		var message struct {
			Text *string `xml:"text"`
		}
		if err := in.Decoder.DecodeElement(&message, start); err != nil {
			return err
		}
		if message.Text == nil {
			return errors.New("the message holds no text")
		}
		document, err := useCase.ofText(*message.Text)
		if err != nil {
			return err
		}
		name := start.Name.Local + "Response"
		fmt.Fprintf(out, `<k:%s xmlns:k="%s"><answer>`, name, serviceSpace)
		xml.EscapeText(out, document)
		fmt.Fprintf(out, `</answer></k:%s>`, name)
		return nil
	}
	return fmt.Errorf("no operation {%s}%s", start.Name.Space, start.Name.Local)
}

// answerText answers all use cases whose document is a string of the message, wrapped or bare.
func answerText(in *soap.Reader, start *xml.StartElement, out *bytes.Buffer) error {
	for _, useCase := range useCases {
		bare := start.Name == xml.Name{Space: serviceSpace, Local: useCase.element + "BareText"}
		if !bare && start.Name != (xml.Name{Space: serviceSpace, Local: useCase.element + "Text"}) {
			continue
		}
		text, err := carried(in.Decoder, start, bare)
		if err != nil {
			return err
		}
		document, err := useCase.ofText(text)
		if err != nil {
			return err
		}
		writeText(out, start.Name.Local+"Response", document, bare)
		return nil
	}
	return fmt.Errorf("no operation {%s}%s", start.Name.Space, start.Name.Local)
}

// writeText writes a document as the text of an answer.
func writeText(out *bytes.Buffer, name string, document []byte, bare bool) {
	fmt.Fprintf(out, `<%s xmlns="%s">`, name, serviceSpace)
	if !bare {
		out.WriteString("<answer>")
	}
	xml.EscapeText(out, document)
	if !bare {
		out.WriteString("</answer>")
	}
	fmt.Fprintf(out, "</%s>", name)
}

// carried is the string that a message holds.
func carried(decoder *xml.Decoder, start *xml.StartElement, bare bool) (string, error) {
	if bare {
		var text string
		err := decoder.DecodeElement(&text, start)
		return text, err
	}
	var message struct {
		Text *string `xml:"urn:steelyard:soakit text"`
	}
	if err := decoder.DecodeElement(&message, start); err != nil {
		return "", err
	}
	if message.Text == nil {
		return "", errors.New("the message holds no text")
	}
	return *message.Text, nil
}

// ofText answers a document that is a string.
func (u useCase) ofText(text string) ([]byte, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errors.New("the text holds no document")
	}
	inside := soap.NewReader([]byte(text), mostDepth)
	start, err := inside.NextStart()
	if err != nil {
		return nil, err
	}
	answer, err := u.read(inside.Decoder, start, u.document)
	if err != nil {
		return nil, err
	}
	return answer, inside.End()
}
