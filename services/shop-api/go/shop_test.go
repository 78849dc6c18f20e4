package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

// ask sends a request to a shop without a database.
func ask(method, path, body string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader(body))
	request.Header.Set("Content-Type", "application/json")
	recorder := httptest.NewRecorder()
	(&shop{}).handler().ServeHTTP(recorder, request)
	return recorder
}

func TestWhatIsNotValidIsRefusedBeforeTheDatabase(t *testing.T) {
	for _, wrong := range []struct{ method, path, body string }{
		{"GET", "/shop/items/0", ""},
		{"GET", "/shop/items/-1", ""},
		{"GET", "/shop/items/9223372036854775808", ""},
		{"GET", "/shop/items?ids=", ""},
		{"GET", "/shop/items?ids=1,,2", ""},
		{"GET", "/shop/items?ids=" + strings.Repeat("1,", 100) + "1", ""},
		{"GET", "/shop/search?q=%00", ""},
		{"GET", "/shop/search?q=%ff", ""},
		{"GET", "/shop/orders/x", ""},
		{"POST", "/shop/orders", `{"customer": "c", "lines": [{"item": 1, "quantity": 1}, {"item": 1, "quantity": 1}]}`},
		{"POST", "/shop/orders", `{"customer": "\u0000", "lines": [{"item": 1, "quantity": 1}]}`},
		{"POST", "/shop/orders", `{"customer": "c", "lines": [{"item": 1, "quantity": 1.5}]}`},
		{"POST", "/shop/echo", "{\"reference\": \"\xff\"}"},
	} {
		answer := ask(wrong.method, wrong.path, wrong.body)
		if answer.Code != http.StatusBadRequest || strings.TrimSpace(answer.Body.String()) != `{"error":"not valid"}` {
			t.Errorf("%s %s %s: %d %s", wrong.method, wrong.path, wrong.body, answer.Code, answer.Body)
		}
	}
}

func TestEveryBadRequestOfTheContractIsRefused(t *testing.T) {
	files, err := filepath.Glob("../contract/bad/*.request.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("the contract has no bad requests: %v", err)
	}
	for _, file := range files {
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if answer := ask("POST", "/shop/echo", string(body)); answer.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", file, answer.Code)
		}
	}
}

func TestLinesAreLockedInTheOrderOfTheirItems(t *testing.T) {
	request := orderRequest{Customer: "c", Lines: []lineRequest{{3, 1}, {1, 1}, {2, 1}}}
	if !request.sortAndCheck() {
		t.Fatal("a valid request was refused")
	}
	for i, line := range request.Lines {
		if line.Item != int64(i+1) {
			t.Errorf("line %d is of item %d", i, line.Item)
		}
	}
}

func TestOnlyAnotherMediaTypeIsAnotherRefusal(t *testing.T) {
	request := httptest.NewRequest("POST", "/shop/echo", strings.NewReader("{}"))
	recorder := httptest.NewRecorder()
	(&shop{}).handler().ServeHTTP(recorder, request)
	if recorder.Code != http.StatusUnsupportedMediaType {
		t.Errorf("without a media type: %d", recorder.Code)
	}
}

func TestOnlyATransactionThatAnotherOneOvertookBeginsAgain(t *testing.T) {
	for code, again := range map[string]bool{"40001": true, "40P01": false, "23505": false} {
		if ended := fmt.Errorf("an order: %w", &pgconn.PgError{Code: code}); isSerializationFailure(ended) != again {
			t.Errorf("%s begins again: %v", code, !again)
		}
	}
	if isSerializationFailure(nil) || isSerializationFailure(errors.New("40001")) {
		t.Error("what PostgreSQL did not end begins again")
	}
}
