package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"log"
	"mime"
	"net/http"
	"strconv"
	"unicode/utf8"

	"steelyard/soap"
)

// refusal is an error that the client gets as a status and a reason.
type refusal struct {
	status int
	reason string
}

func (r *refusal) Error() string { return r.reason }

var (
	errNotValid   = &refusal{http.StatusBadRequest, "not valid"}
	errNotFound   = &refusal{http.StatusNotFound, "not found"}
	errOutOfStock = &refusal{http.StatusConflict, "out of stock"}
)

type errorAnswer struct {
	Error string `json:"error"`
}

// read reads a request's body, one value of JSON in UTF-8; where it is none, it answers why, and ok is false.
func read[Message any](w http.ResponseWriter, r *http.Request) (message *Message, ok bool) {
	mediaType, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || mediaType != "application/json" {
		respond(w, http.StatusUnsupportedMediaType, errorAnswer{"not valid"})
		return nil, false
	}
	body, ok := soap.ReadBody(w, r)
	if !ok {
		return nil, false
	}
	message = new(Message)
	if !utf8.Valid(body) || json.Unmarshal(body, message) != nil {
		refuse(w, errNotValid)
		return nil, false
	}
	return message, true
}

// respond answers with a value in JSON.
func respond(w http.ResponseWriter, status int, value any) {
	var body bytes.Buffer
	if err := json.NewEncoder(&body).Encode(value); err != nil {
		log.Printf("shop-api: an answer cannot be written: %v", err)
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(body.Len()))
	w.WriteHeader(status)
	body.WriteTo(w)
}

// refuse answers with what an error says, and with status 500 where it is not the client's.
func refuse(w http.ResponseWriter, err error) {
	var refused *refusal
	if errors.As(err, &refused) {
		respond(w, refused.status, errorAnswer{refused.reason})
		return
	}
	log.Printf("shop-api: %v", err)
	respond(w, http.StatusInternalServerError, errorAnswer{"failed"})
}

// positive is a positive number in text.
func positive(text string) (int64, error) {
	number, err := strconv.ParseInt(text, 10, 64)
	if err != nil || number < 1 {
		return 0, errNotValid
	}
	return number, nil
}
