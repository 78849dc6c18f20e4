package main

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
)

const (
	mostIDs        = 100
	longestKeyword = 100
	itemColumns    = "SELECT id, name, keyword, price_cents, description FROM item "
	itemByID       = itemColumns + "WHERE id = $1"
	itemsByID      = itemColumns + "WHERE id = ANY($1) ORDER BY id"
	cheapestOfWord = itemColumns + "WHERE keyword = $1 ORDER BY price_cents, id LIMIT 10"
)

type item struct {
	ID          int64  `json:"id"`
	Name        string `json:"name"`
	Keyword     string `json:"keyword"`
	PriceCents  int64  `json:"priceCents"`
	Description string `json:"description"`
}

type items struct {
	Items []item `json:"items"`
}

func (s *shop) serveItem(w http.ResponseWriter, r *http.Request) {
	id, err := positive(r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	answer, err := s.item(r.Context(), id)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNotFound
	}
	if err != nil {
		refuse(w, err)
		return
	}
	respond(w, http.StatusOK, answer)
}

// item reads an item from the database, or from the planted cache.
func (s *shop) item(ctx context.Context, id int64) (item, error) {
	if s.cache != nil {
		if kept, ok := s.cache.Load(id); ok {
			return kept.(item), nil
		}
	}
	rows, _ := s.database.Query(ctx, itemByID, id) // what fails, CollectOneRow reports
	found, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[item])
	if err == nil && s.cache != nil {
		s.cache.Store(id, found)
	}
	return found, err
}

func (s *shop) serveItems(w http.ResponseWriter, r *http.Request) {
	ids, err := positives(r.URL.Query().Get("ids"))
	if err != nil {
		refuse(w, err)
		return
	}
	s.serveList(w, r, itemsByID, ids)
}

func (s *shop) serveSearch(w http.ResponseWriter, r *http.Request) {
	keyword := r.URL.Query().Get("q")
	if keyword == "" || len(keyword) > longestKeyword || !utf8.ValidString(keyword) || strings.ContainsRune(keyword, 0) {
		refuse(w, errNotValid)
		return
	}
	s.serveList(w, r, cheapestOfWord, keyword)
}

// serveList answers with the items that a query of one argument finds.
func (s *shop) serveList(w http.ResponseWriter, r *http.Request, query string, argument any) {
	rows, _ := s.database.Query(r.Context(), query, argument)
	listed, err := pgx.CollectRows(rows, pgx.RowToStructByPos[item])
	if err != nil {
		refuse(w, err)
		return
	}
	respond(w, http.StatusOK, items{listed})
}

// positives are positive numbers parted by commas, at most mostIDs.
func positives(text string) ([]int64, error) {
	words := strings.SplitN(text, ",", mostIDs+1)
	if len(words) > mostIDs {
		return nil, errNotValid
	}
	numbers := make([]int64, len(words))
	for i, word := range words {
		number, err := positive(word)
		if err != nil {
			return nil, err
		}
		numbers[i] = number
	}
	return numbers, nil
}
