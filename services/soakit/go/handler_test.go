package main

import (
	"bytes"
	"cmp"
	"encoding/json"
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

	"steelyard/soap"
)

const contract = "../contract/"

var folders = map[string]string{"tv-dinner": "TVDinner", "sushi-boats": "SushiBoats", "buffet": "Buffet"}

func newServer(t *testing.T) *httptest.Server {
	server := httptest.NewServer(newHandler())
	t.Cleanup(server.Close)
	return server
}

func post(t *testing.T, server *httptest.Server, path, body string) (int, string) {
	t.Helper()
	answer, err := http.Post(server.URL+path, "text/xml; charset=utf-8", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(text)
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryExchangeIsAnswered(t *testing.T) {
	server := newServer(t)
	for folder, path := range folders {
		requests, _ := filepath.Glob(contract + "exchanges/" + folder + "/*.request.xml")
		if len(requests) == 0 {
			t.Fatalf("%s has no exchanges", folder)
		}
		for _, request := range requests {
			expected := read(t, strings.Replace(request, ".request.", ".answer.", 1))
			answered(t, server, filepath.Base(request), servicePath+path, read(t, request), expected)
		}
		carried, _ := filepath.Glob(contract + "exchanges/" + folder + "/*.exchange.json")
		if len(carried) == 0 {
			t.Fatalf("%s has no exchanges of strings", folder)
		}
		for _, file := range carried {
			var exchange struct {
				Path, Request, Answer string
				Fault                 bool
			}
			if err := json.Unmarshal([]byte(read(t, file)), &exchange); err != nil {
				t.Fatal(err)
			}
			address := cmp.Or(exchange.Path, servicePath+path)
			if exchange.Fault {
				refused(t, server, filepath.Base(file), address, exchange.Request)
				continue
			}
			answered(t, server, filepath.Base(file), address, exchange.Request, exchange.Answer)
		}
	}
}

func answered(t *testing.T, server *httptest.Server, name, path, request, expected string) {
	t.Run(path+" "+name, func(t *testing.T) {
		status, answer := post(t, server, path, request)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, answer)
		}
		if got, want := values(t, answer), values(t, expected); !slices.Equal(got, want) {
			t.Errorf("answer\n%q, expected\n%q", got, want)
		}
	})
}

func TestBadRequestsAreRefused(t *testing.T) {
	server := newServer(t)
	good := read(t, contract+"exchanges/tv-dinner/wrapped.request.xml")
	bad := map[string]string{
		"cut off":           good[:len(good)/2],
		"no XML":            "hello",
		"nothing":           "",
		"unknown operation": strings.ReplaceAll(good, "k:tvDinner", "k:dinner"),
		"doctype":           strings.Replace(good, "?>", `?><!DOCTYPE x [<!ENTITY e "x">]>`, 1),
		"two documents":     good + good[strings.Index(good, "?>")+2:],
		"undeclared entity": strings.Replace(good, "Harbour", "&e;", 1),
		"header that must be understood": strings.Replace(good, "<soap:Body>",
			`<soap:Header><h:a xmlns:h="urn:h" soap:mustUnderstand="1"/></soap:Header><soap:Body>`, 1),
	}
	files, _ := filepath.Glob(contract + "bad/*.request.xml")
	if len(files) == 0 {
		t.Fatal("the contract has no bad requests")
	}
	for _, file := range files {
		bad[filepath.Base(file)] = read(t, file)
	}
	for name, request := range bad {
		refused(t, server, name, servicePath+"TVDinner", request)
	}
}

func TestTextsThatAreNoDocumentAreRefused(t *testing.T) {
	server := newServer(t)
	for name, text := range map[string]string{
		"empty":   "",
		"no XML":  "hello",
		"another": "&lt;any/>",
		"cut off": "&lt;ProcessPurchaseOrder xmlns='urn:steelyard:soakit:order'>",
		"doctype": "&lt;!DOCTYPE x [&lt;!ENTITY e 'x'>]>&lt;any/>",
		"deep":    strings.Repeat("&lt;a>", 5000) + strings.Repeat("&lt;/a>", 5000),
	} {
		request := `<s:Envelope xmlns:s="` + soap.Namespace + `"><s:Body><tvDinnerText xmlns="` + serviceSpace + `"><text>` + text +
			`</text></tvDinnerText></s:Body></s:Envelope>`
		refused(t, server, name, servicePath+"Text", request)
	}
}

func refused(t *testing.T, server *httptest.Server, name, path, request string) {
	t.Run(name, func(t *testing.T) {
		status, answer := post(t, server, path, request)
		if status != http.StatusInternalServerError || !strings.Contains(answer, "<faultcode>soap:") {
			t.Errorf("status %d: %s", status, answer)
		}
		values(t, answer) // well-formed
	})
}

func TestRequestsAreCounted(t *testing.T) {
	server := newServer(t)
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
		post(t, server, servicePath+"Buffet", "")
	}
}

func TestNumbersAreWrittenInFull(t *testing.T) {
	for text, want := range map[string]string{"12.50": "12.5", " +007 ": "7", "-0.000001": "-0.000001", ".5": "0.5", "0": "0"} {
		var number decimal
		if err := number.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if got := written(&number.Int, decimalPlaces); got != want {
			t.Errorf("%q is written %q, expected %q", text, got, want)
		}
	}
	for _, text := range []string{"", "many", "1e3", "0x1", "1.2.3", "1_000", strings.Repeat("9", 100)} {
		if new(decimal).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q was taken for a number", text)
		}
	}
}

// values lists the elements of a document in order, leaves with their values: numbers as numbers, documents as theirs.
func values(t *testing.T, document string) []string {
	t.Helper()
	var found []string
	var text strings.Builder
	leaf := false
	decoder := xml.NewDecoder(bytes.NewReader([]byte(document)))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("not well-formed: %v\n%s", err, document)
		}
		switch token := token.(type) {
		case xml.StartElement:
			found = append(found, token.Name.Space+" "+token.Name.Local)
			text.Reset()
			leaf = true
		case xml.CharData:
			text.Write(token)
		case xml.EndElement:
			if leaf && strings.HasPrefix(text.String(), "<") && strings.HasSuffix(text.String(), ">") {
				found = append(found, values(t, text.String())...)
			} else if leaf {
				found = append(found, canonical(text.String()))
			}
			leaf = false
		}
	}
}

func canonical(text string) string {
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return strconv.FormatFloat(n, 'g', -1, 64)
	}
	return text
}
