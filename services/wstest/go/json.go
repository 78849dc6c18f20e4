package main

import (
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf8"

	"steelyard/soap"
)

const (
	restPath     = "/wstest/rest"
	jsonRPCPath  = "/wstest/json-rpc"
	mostOrderID  = 999_999_999
	jsonType     = "application/json"
	rpcVersion   = "2.0"
	parseError   = -32700
	badRequest   = -32600
	noSuchMethod = -32601
	badParams    = -32602
)

// The operations' messages in JSON. What is echoed has one type for both ways.

type jsonVoid struct{}

type jsonStructs struct {
	Structs []jsonStruct `json:"structs"`
}

type jsonStruct struct {
	VarInt    int32   `json:"varInt"`
	VarFloat  float32 `json:"varFloat"`
	VarString string  `json:"varString"`
}

type jsonList struct {
	List *jsonItem `json:"list,omitempty"`
}

type jsonItem struct {
	Value jsonStruct `json:"value"`
	Next  *jsonItem  `json:"next,omitempty"`
}

type jsonSynthetic struct {
	Text   string     `json:"text"`
	Struct jsonStruct `json:"struct"`
	Bytes  []byte     `json:"bytes"`
}

type jsonOrderRequest struct {
	OrderID int32 `json:"orderId"`
}

var errNoOrder = errors.New("there is no such order")

// jsonOperations answer by the operation's name.
var jsonOperations = map[string]func([]byte) (any, error){
	"echoVoid":      echoing[jsonVoid],
	"echoStruct":    echoing[jsonStructs],
	"echoList":      echoing[jsonList],
	"echoSynthetic": echoing[jsonSynthetic],
	"getOrder":      jsonOrder,
}

// echoing answers a message with its own values.
func echoing[Message any](body []byte) (any, error) {
	message := new(Message)
	if err := json.Unmarshal(body, message); err != nil {
		return nil, err
	}
	return message, nil
}

func jsonOrder(body []byte) (any, error) {
	var request jsonOrderRequest
	if err := json.Unmarshal(body, &request); err != nil {
		return nil, err
	}
	return orderOf(request.OrderID)
}

func orderOf(id int32) (any, error) {
	if id < 0 || id > mostOrderID {
		return nil, errNoOrder
	}
	return newPurchaseOrder(id), nil
}

// jsonRoutes are the paths of both formats in JSON.
func jsonRoutes() map[string]http.HandlerFunc {
	routes := map[string]http.HandlerFunc{
		"GET " + restPath + "/orders/{id}": serveOrder,
		"POST " + jsonRPCPath:              serveJSONRPC,
	}
	for _, name := range []string{"echoVoid", "echoStruct", "echoList", "echoSynthetic"} {
		routes["POST "+restPath+"/"+name] = resting(jsonOperations[name])
	}
	return routes
}

// resting makes a handler of an operation: the body is its message.
func resting(operation func([]byte) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, ok := readJSON(w, r)
		if !ok {
			return
		}
		answer, err := operation(body)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

func serveOrder(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 32)
	if err != nil {
		http.Error(w, "an order has a number", http.StatusBadRequest)
		return
	}
	order, err := orderOf(int32(id))
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	writeJSON(w, http.StatusOK, order)
}

type rpcRequest struct {
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`
}

type rpcAnswer struct {
	Version string          `json:"jsonrpc"`
	Result  any             `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
	ID      json.RawMessage `json:"id"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

// serveJSONRPC answers one call by JSON-RPC 2.0. There are no batches, and a call without an id is refused.
func serveJSONRPC(w http.ResponseWriter, r *http.Request) {
	body, ok := readJSON(w, r)
	if !ok {
		return
	}
	var request rpcRequest
	if err := json.Unmarshal(body, &request); err != nil {
		refuse(w, http.StatusBadRequest, parseError, err.Error(), nil)
		return
	}
	operation, known := jsonOperations[request.Method]
	switch {
	case request.Version != rpcVersion || request.ID == nil:
		refuse(w, http.StatusBadRequest, badRequest, "a call of JSON-RPC 2.0 says its version and has an id", request.ID)
	case !known:
		refuse(w, http.StatusNotFound, noSuchMethod, "there is no method "+request.Method, request.ID)
	default:
		result, err := operation(request.Params)
		if err != nil {
			refuse(w, http.StatusBadRequest, badParams, err.Error(), request.ID)
			return
		}
		writeJSON(w, http.StatusOK, rpcAnswer{Version: rpcVersion, Result: result, ID: request.ID})
	}
}

func refuse(w http.ResponseWriter, status, code int, message string, id json.RawMessage) {
	writeJSON(w, status, rpcAnswer{Version: rpcVersion, Error: &rpcError{code, message}, ID: id})
}

// readJSON reads a body that says it is JSON and is UTF-8, which encoding/json would make so by changing it.
func readJSON(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	if mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || mediaType != jsonType {
		http.Error(w, "JSON comes as "+jsonType, http.StatusUnsupportedMediaType)
		return nil, false
	}
	body, ok := soap.ReadBody(w, r)
	if ok && !utf8.Valid(body) {
		http.Error(w, "JSON is UTF-8", http.StatusBadRequest)
		return nil, false
	}
	return body, ok
}

func writeJSON(w http.ResponseWriter, status int, answer any) {
	body, err := json.Marshal(answer)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	w.Write(body)
}
