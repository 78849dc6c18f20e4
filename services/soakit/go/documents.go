package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
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

// documentIn answers a use case whose document is XML of the message, wrapped or bare.
func documentIn(useCase useCase) soap.Answering {
	return func(in *soap.Reader, start *xml.StartElement, out *bytes.Buffer) error {
		wrapped := start.Name == xml.Name{Space: serviceSpace, Local: useCase.element}
		if wrapped {
			var err error
			if start, err = in.NextStart(); err != nil {
				return err
			}
		}
		document, err := useCase.read(in.Decoder, start)
		if err != nil {
			return err
		}
		if !wrapped {
			out.Write(document)
			return nil
		}
		if more, err := in.NextStart(); err != nil || more != nil {
			return errors.Join(err, errors.New("the message holds more than a document"))
		}
		name := useCase.element + "Response"
		fmt.Fprintf(out, `<k:%s xmlns:k="%s">%s</k:%s>`, name, serviceSpace, document, name)
		return nil
	}
}

// read reads a document and gives its answer as XML.
func (u useCase) read(decoder *xml.Decoder, start *xml.StartElement) ([]byte, error) {
	if start == nil || start.Name != u.document {
		return nil, fmt.Errorf("a %s is due", u.document.Local)
	}
	answer, err := u.answer(decoder, start)
	if err != nil {
		return nil, err
	}
	return xml.Marshal(answer)
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
	answer, err := u.read(inside.Decoder, start)
	if err != nil {
		return nil, err
	}
	return answer, inside.End()
}
