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
	"time"
	"unicode/utf16"
)

const exchanges = "../contract/exchanges"

func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(newHandler())
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
				{"text/xml", append(slices.Clone(utf8Mark), read(t, request)...)},
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
		"malformed":         {strings.Replace(void, "</soap:Body>", "", 1), clientFault},
		"cut off":           {one[:len(one)/2], clientFault},
		"no XML":            {"hello", clientFault},
		"nothing":           {"", clientFault},
		"no envelope":       {"<a/>", versionFault},
		"SOAP 1.2":          {strings.Replace(void, soapNamespace, "http://www.w3.org/2003/05/soap-envelope", 1), versionFault},
		"empty body":        {`<s:Envelope xmlns:s="` + soapNamespace + `"><s:Body/></s:Envelope>`, clientFault},
		"no body":           {`<s:Envelope xmlns:s="` + soapNamespace + `"></s:Envelope>`, clientFault},
		"unknown operation": {strings.ReplaceAll(void, "echoVoid", "echoNothing"), clientFault},
		"other namespace":   {strings.ReplaceAll(void, operationSpace, "urn:other"), clientFault},
		"two operations":    {strings.Replace(void, "</soap:Body>", "<a/></soap:Body>", 1), clientFault},
		"two documents":     {void + void[strings.Index(void, "?>")+2:], clientFault},
		"word for a number": {strings.Replace(one, "<varInt>1<", "<varInt>one<", 1), clientFault},
		"number too large":  {strings.Replace(one, "<varInt>1<", "<varInt>2147483648<", 1), clientFault},
		"no number":         {strings.Replace(one, "<varInt>1<", "<varInt><", 1), clientFault},
		"no float":          {strings.Replace(one, "<varFloat>1.5<", "<varFloat>0x1p2<", 1), clientFault},
		"no order id":       {strings.Replace(order, ">1<", ">first<", 1), clientFault},
		"no base64":         {strings.Replace(synthetic, "<bytes>", "<bytes>*", 1), clientFault},
		"doctype":           {doctype("", void), clientFault},
		"entity":            {doctype(`[<!ENTITY e "x">]`, strings.Replace(one, "first", "&e;", 1)), clientFault},
		"external entity":   {doctype(`[<!ENTITY e SYSTEM "file:///etc/hostname">]`, strings.Replace(one, "first", "&e;", 1)), clientFault},
		"must understand":   {header(`soap:mustUnderstand="1"`), mustKnowFault},
		"undeclared entity": {strings.Replace(one, "first", "&e;", 1), clientFault},
		"half a UTF-16":     {"\xff\xfe<", clientFault},
		"broken UTF-8":      {strings.Replace(one, "first", "\xff", 1), clientFault},
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

func TestWhatIsNotSOAPGetsAClientError(t *testing.T) {
	server := newServer(t)
	if status, _ := post(t, server, "application/json", []byte("{}")); status != http.StatusUnsupportedMediaType {
		t.Errorf("JSON: status %d", status)
	}
	if status, _ := post(t, server, "text/xml", bytes.Repeat([]byte(" "), maxRequestBytes+1)); status != http.StatusRequestEntityTooLarge {
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

func TestBusyHeaderBurnsProcessorTime(t *testing.T) {
	began := time.Now()
	if err := stayBusy("20000.5"); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took < 20*time.Millisecond+500*time.Nanosecond {
		t.Errorf("20 ms of processor time took %v", took)
	}
	for _, wrong := range []string{"a while", "-1", "NaN", "1e300", "1000000.5"} {
		if stayBusy(wrong) == nil {
			t.Errorf("%q was taken for a number of microseconds", wrong)
		}
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
