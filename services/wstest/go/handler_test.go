package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"steelyard/soap"
)

const exchanges = "../contract/exchanges"

func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(newService().Handler())
	t.Cleanup(server.Close)
	return server
}

func post(t *testing.T, server *httptest.Server, contentType string, body []byte) (int, []byte) {
	t.Helper()
	answer, err := http.Post(server.URL+servicePath, contentType, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, text
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestEveryFixedExchangeIsAnswered(t *testing.T) {
	requests, _ := filepath.Glob(exchanges + "/*/*.request.xml")
	if len(requests) == 0 {
		t.Fatal("the contract has no exchanges")
	}
	server := newServer(t)
	for _, request := range requests {
		t.Run(strings.TrimSuffix(request, ".request.xml"), func(t *testing.T) {
			want := values(t, read(t, strings.Replace(request, ".request.", ".answer.", 1)))
			for _, encoded := range []struct {
				contentType string
				body        []byte
			}{
				{"text/xml; charset=utf-8", read(t, request)},
				{"text/xml", append([]byte("\xef\xbb\xbf"), read(t, request)...)},
				{"text/xml; charset=utf-16", inUTF16(read(t, request), binary.LittleEndian)},
				{`text/xml; charset="UTF-16"`, inUTF16(read(t, request), binary.BigEndian)},
			} {
				status, answer := post(t, server, encoded.contentType, encoded.body)
				if status != http.StatusOK {
					t.Fatalf("%s: status %d: %s", encoded.contentType, status, answer)
				}
				if got := values(t, answer); !slices.Equal(got, want) {
					t.Errorf("%s: answer %q, expected %q", encoded.contentType, got, want)
				}
			}
		})
	}
}

func TestBadRequestsAreRefused(t *testing.T) {
	one := string(read(t, exchanges+"/echoStruct/one.request.xml"))
	void := string(read(t, exchanges+"/echoVoid/void.request.xml"))
	order := string(read(t, exchanges+"/getOrder/order-1.request.xml"))
	synthetic := string(read(t, exchanges+"/echoSynthetic/small.request.xml"))
	doctype := func(declaration, request string) string {
		return strings.Replace(request, "?>", "?><!DOCTYPE x "+declaration+">", 1)
	}
	header := func(attributes string) string {
		entry := `<soap:Header><h:a xmlns:h="urn:h" ` + attributes + `/></soap:Header><soap:Body>`
		return strings.Replace(void, "<soap:Body>", entry, 1)
	}
	server := newServer(t)
	for name, bad := range map[string]struct{ request, code string }{
		"malformed":         {strings.Replace(void, "</soap:Body>", "", 1), soap.ClientFault},
		"cut off":           {one[:len(one)/2], soap.ClientFault},
		"no XML":            {"hello", soap.ClientFault},
		"nothing":           {"", soap.ClientFault},
		"no envelope":       {"<a/>", soap.VersionFault},
		"SOAP 1.2":          {strings.Replace(void, soap.Namespace, "http://www.w3.org/2003/05/soap-envelope", 1), soap.VersionFault},
		"empty body":        {`<s:Envelope xmlns:s="` + soap.Namespace + `"><s:Body/></s:Envelope>`, soap.ClientFault},
		"no body":           {`<s:Envelope xmlns:s="` + soap.Namespace + `"></s:Envelope>`, soap.ClientFault},
		"unknown operation": {strings.ReplaceAll(void, "echoVoid", "echoNothing"), soap.ClientFault},
		"other namespace":   {strings.ReplaceAll(void, operationSpace, "urn:other"), soap.ClientFault},
		"two operations":    {strings.Replace(void, "</soap:Body>", "<a/></soap:Body>", 1), soap.ClientFault},
		"two documents":     {void + void[strings.Index(void, "?>")+2:], soap.ClientFault},
		"word for a number": {strings.Replace(one, "<varInt>1<", "<varInt>one<", 1), soap.ClientFault},
		"number too large":  {strings.Replace(one, "<varInt>1<", "<varInt>2147483648<", 1), soap.ClientFault},
		"no number":         {strings.Replace(one, "<varInt>1<", "<varInt><", 1), soap.ClientFault},
		"no float":          {strings.Replace(one, "<varFloat>1.5<", "<varFloat>0x1p2<", 1), soap.ClientFault},
		"no order id":       {strings.Replace(order, ">1<", ">first<", 1), soap.ClientFault},
		"no base64":         {strings.Replace(synthetic, "<bytes>", "<bytes>*", 1), soap.ClientFault},
		"doctype":           {doctype("", void), soap.ClientFault},
		"entity":            {doctype(`[<!ENTITY e "x">]`, strings.Replace(one, "first", "&e;", 1)), soap.ClientFault},
		"external entity":   {doctype(`[<!ENTITY e SYSTEM "file:///etc/hostname">]`, strings.Replace(one, "first", "&e;", 1)), soap.ClientFault},
		"must understand":   {header(`soap:mustUnderstand="1"`), soap.HeaderFault},
		"undeclared entity": {strings.Replace(one, "first", "&e;", 1), soap.ClientFault},
		"half a UTF-16":     {"\xff\xfe<", soap.ClientFault},
		"broken UTF-8":      {strings.Replace(one, "first", "\xff", 1), soap.ClientFault},
	} {
		t.Run(name, func(t *testing.T) {
			status, answer := post(t, server, "text/xml", []byte(bad.request))
			if status != http.StatusInternalServerError {
				t.Fatalf("status %d: %s", status, answer)
			}
			if want := "<faultcode>soap:" + bad.code + "</faultcode>"; !strings.Contains(string(answer), want) {
				t.Errorf("answer %s lacks %s", answer, want)
			}
			values(t, answer) // well-formed
		})
	}
	if status, answer := post(t, server, "text/xml", []byte(header(`soap:mustUnderstand="0"`))); status != http.StatusOK {
		t.Errorf("a header that need not be understood: status %d: %s", status, answer)
	}
}

func TestSOAP12HasItsOwnEnvelopeTypeAndFaults(t *testing.T) {
	server := newServer(t)
	in12 := func(name string) []byte {
		return bytes.ReplaceAll(read(t, exchanges+name), []byte(soap.Namespace), []byte(soap.Namespace12))
	}
	ask := func(contentType string, body []byte) (int, string, []byte) {
		answer, err := http.Post(server.URL+servicePath12, contentType, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		text, _ := io.ReadAll(answer.Body)
		return answer.StatusCode, answer.Header.Get("Content-Type"), text
	}
	const mediaType = "application/soap+xml"
	one := in12("/echoStruct/one.request.xml")
	status, told, answer := ask(mediaType+`; charset=utf-8; action=""`, one)
	want := values(t, in12("/echoStruct/one.answer.xml"))
	if status != http.StatusOK || told != mediaType+"; charset=utf-8" || !slices.Equal(values(t, answer), want) {
		t.Errorf("status %d, %s: %s", status, told, answer)
	}
	header := func(attributes string) []byte {
		entry := `<soap:Header><h:a xmlns:h="urn:h" ` + attributes + `/></soap:Header><soap:Body>`
		return bytes.Replace(one, []byte("<soap:Body>"), []byte(entry), 1)
	}
	for name, bad := range map[string]struct {
		request []byte
		code    string
		status  int
	}{
		"no number":       {bytes.Replace(one, []byte("<varInt>1<"), []byte("<varInt>a<"), 1), soap.SenderFault, 400},
		"cut off":         {one[:len(one)/2], soap.SenderFault, 400},
		"SOAP 1.1":        {read(t, exchanges+"/echoStruct/one.request.xml"), soap.VersionFault, 500},
		"must understand": {header(`soap:mustUnderstand="true"`), soap.HeaderFault, 500},
		"of the next":     {header(`soap:mustUnderstand="1" soap:role="` + soap.Namespace12 + `/role/next"`), soap.HeaderFault, 500},
	} {
		status, told, answer := ask(mediaType, bad.request)
		values(t, answer) // well-formed
		coded := "<soap:Code><soap:Value>soap:" + bad.code + "</soap:Value>"
		if status != bad.status || told != mediaType+"; charset=utf-8" || !strings.Contains(string(answer), coded) {
			t.Errorf("%s: status %d, %s: %s", name, status, told, answer)
		}
	}
	for _, attributes := range []string{`soap:mustUnderstand="0"`, `soap:mustUnderstand="1" soap:role="urn:somebody:else"`} {
		if status, _, answer := ask(mediaType, header(attributes)); status != http.StatusOK {
			t.Errorf("%s: status %d: %s", attributes, status, answer)
		}
	}
	if status, _, _ := ask("text/xml", one); status != http.StatusUnsupportedMediaType {
		t.Errorf("text/xml: status %d", status)
	}
}

func TestWhatIsNotSOAPGetsAClientError(t *testing.T) {
	server := newServer(t)
	if status, _ := post(t, server, "application/json", []byte("{}")); status != http.StatusUnsupportedMediaType {
		t.Errorf("JSON: status %d", status)
	}
	if status, _ := post(t, server, "text/xml", bytes.Repeat([]byte(" "), soap.MaxRequestBytes+1)); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over the limit: status %d", status)
	}
	answer, err := http.Get(server.URL + servicePath)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	if answer.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", answer.StatusCode)
	}
}

func TestServiceRequestsAreCounted(t *testing.T) {
	server := newServer(t)
	void := read(t, exchanges+"/echoVoid/void.request.xml")
	for want := range 3 {
		answer, err := http.Get(server.URL + counterPath)
		if err != nil {
			t.Fatal(err)
		}
		count, _ := io.ReadAll(answer.Body)
		answer.Body.Close()
		if string(count) != strconv.Itoa(want) {
			t.Errorf("count %s, expected %d", count, want)
		}
		post(t, server, "text/xml", void)
	}
}

func inUTF16(text []byte, order binary.AppendByteOrder) []byte {
	declared := strings.Replace(string(text), `encoding="UTF-8"`, `encoding="UTF-16"`, 1)
	encoded := order.AppendUint16(nil, 0xFEFF)
	for _, unit := range utf16.Encode([]rune(declared)) {
		encoded = order.AppendUint16(encoded, unit)
	}
	return encoded
}

// values lists the elements of a document in order, leaves with their typed values.
func values(t *testing.T, document []byte) []string {
	t.Helper()
	var found []string
	var text strings.Builder
	leaf := false
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("answer is not well-formed: %v\n%s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			found = append(found, token.Name.Space+" "+token.Name.Local)
			text.Reset()
			leaf = true
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if leaf {
				found = append(found, canonical(t, token.Name.Local, text.String()))
			}
			leaf = false
		}
	}
}

func canonical(t *testing.T, name, text string) string {
	t.Helper()
	switch name {
	case "varFloat":
		n, err := strconv.ParseFloat(strings.TrimSpace(text), 32)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(n+0, 'g', -1, 32) // -0 + 0 is 0
	case "bytes":
		decoded, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), ""))
		if err != nil {
			t.Fatal(err)
		}
		return string(decoded)
	case "echoStructResponse", "echoListResponse":
		return strings.TrimSpace(text)
	}
	return text
}
