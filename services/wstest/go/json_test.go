package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"
)

const echoed = `{"varInt":-7,"varFloat":1.1,"varString":"salt & \u00e9 \ud834\udd1e"}`

func ask(t *testing.T, server *httptest.Server, path, body string) (int, any) {
	t.Helper()
	answer, err := http.Post(server.URL+path, jsonType, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, value(string(text))
}

// value is what a JSON text says; nil where it is none.
func value(text string) any {
	var read any
	_ = json.Unmarshal([]byte(text), &read)
	return read
}

func TestValuesComeBackInBothFormatsOfJSON(t *testing.T) {
	server := newServer(t)
	for operation, message := range map[string]string{
		"echoVoid":      `{}`,
		"echoStruct":    `{"structs":[` + echoed + `,` + echoed + `]}`,
		"echoList":      `{"list":{"value":` + echoed + `,"next":{"value":` + echoed + `}}}`,
		"echoSynthetic": `{"text":"","struct":` + echoed + `,"bytes":"AP8="}`,
	} {
		if status, answer := ask(t, server, restPath+"/"+operation, message); status != http.StatusOK || !reflect.DeepEqual(answer, value(message)) {
			t.Errorf("%s: status %d, %v", operation, status, answer)
		}
		call := `{"id":"a","params":` + message + `,"method":"` + operation + `","jsonrpc":"2.0"}`
		wanted := value(`{"jsonrpc":"2.0","result":` + message + `,"id":"a"}`)
		if status, answer := ask(t, server, jsonRPCPath, call); status != http.StatusOK || !reflect.DeepEqual(answer, wanted) {
			t.Errorf("%s by JSON-RPC: status %d, %v", operation, status, answer)
		}
	}
}

func TestWhatHasNoItemsIsAnEmptyArray(t *testing.T) {
	if _, answer := ask(t, newServer(t), restPath+"/echoStruct", `{"structs":[]}`); !reflect.DeepEqual(answer, value(`{"structs":[]}`)) {
		t.Errorf("%v", answer)
	}
}

func TestAnOrderIsTheSameByItsAddressAndByItsNumber(t *testing.T) {
	server := newServer(t)
	answer, err := http.Get(server.URL + restPath + "/orders/12345")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	order := value(string(text)).(map[string]any)
	if order["reference"] != "PO-000012345" || len(order["items"].([]any)) != 5+12345%6 {
		t.Errorf("%s", text)
	}
	_, called := ask(t, server, jsonRPCPath, `{"jsonrpc":"2.0","method":"getOrder","params":{"orderId":12345},"id":1}`)
	if !reflect.DeepEqual(called.(map[string]any)["result"], value(string(text))) {
		t.Errorf("%v", called)
	}
}

func TestWhatIsWrongInJSONIsRefused(t *testing.T) {
	server := newServer(t)
	for _, body := range []string{"", "{}{}", `{"structs":[{"varInt":"one"}]}`, `{"structs":[{"varInt":2147483648}]}`, "{\"\xff\":1}"} {
		if status, _ := ask(t, server, restPath+"/echoStruct", body); status != http.StatusBadRequest {
			t.Errorf("%q: status %d", body, status)
		}
	}
	for body, wanted := range map[string]float64{
		`{"jsonrpc":"2.0","method":"echoVoid"`:                                 parseError,
		`{"jsonrpc":"1.0","method":"echoVoid","params":{},"id":1}`:             badRequest,
		`{"jsonrpc":"2.0","method":"echoVoid","params":{}}`:                    badRequest,
		`{"jsonrpc":"2.0","method":"echo","params":{},"id":1}`:                 noSuchMethod,
		`{"jsonrpc":"2.0","method":"echoVoid","id":1}`:                         badParams,
		`{"jsonrpc":"2.0","method":"getOrder","params":{"orderId":-1},"id":1}`: badParams,
	} {
		status, answer := ask(t, server, jsonRPCPath, body)
		if code := answer.(map[string]any)["error"].(map[string]any)["code"]; status < 400 || status > 499 || code != wanted {
			t.Errorf("%s: status %d, code %v", body, status, code)
		}
	}
	for path, wanted := range map[string]int{"1000000000": http.StatusNotFound, "one": http.StatusBadRequest} {
		answer, err := http.Get(server.URL + restPath + "/orders/" + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if answer.StatusCode != wanted {
			t.Errorf("order %s: status %d", path, answer.StatusCode)
		}
	}
}

func TestRequestsInEveryFormatAreCounted(t *testing.T) {
	server := newServer(t)
	ask(t, server, restPath+"/echoVoid", "{}")
	ask(t, server, jsonRPCPath, "{}")
	post(t, server, "text/xml", nil)
	answer, err := http.Get(server.URL + counterPath)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if text, _ := io.ReadAll(answer.Body); string(text) != "3" {
		t.Errorf("%s were counted", text)
	}
}
