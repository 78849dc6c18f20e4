package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

const (
	longestName  = 100
	mostLines    = 10
	mostQuantity = 100

	serializationFailure = "40001" // SQLSTATE

	insertOrder = "INSERT INTO orders (customer) VALUES ($1) RETURNING id"
	takeStock   = "UPDATE item SET stock = stock - $2 WHERE id = $1 AND stock >= $2 RETURNING name, price_cents"
	readStock   = "SELECT name, price_cents, stock FROM item WHERE id = $1"
	writeStock  = "UPDATE item SET stock = $2 WHERE id = $1"
	insertLine  = "INSERT INTO order_line (order_id, line_number, item_id, quantity, price_cents) VALUES ($1, $2, $3, $4, $5)"
	linesOf     = "SELECT customer, item_id, name, quantity, order_line.price_cents FROM orders JOIN order_line ON order_id = orders.id " +
		"JOIN item ON item.id = item_id WHERE orders.id = $1 ORDER BY line_number"
)

type orderRequest struct {
	Customer string        `json:"customer"`
	Lines    []lineRequest `json:"lines"`
}

type lineRequest struct {
	Item     int64 `json:"item"`
	Quantity int64 `json:"quantity"`
}

type orderLine struct {
	Item       int64  `json:"item"`
	Name       string `json:"name"`
	Quantity   int64  `json:"quantity"`
	PriceCents int64  `json:"priceCents"`
}

type placedOrder struct {
	Customer   string      `json:"customer"`
	Lines      []orderLine `json:"lines"`
	TotalCents int64       `json:"totalCents"`
}

type order struct {
	ID int64 `json:"id"`
	placedOrder
}

func (o *placedOrder) add(line orderLine) {
	o.Lines = append(o.Lines, line)
	o.TotalCents += line.Quantity * line.PriceCents
}

func (s *shop) servePlaceOrder(w http.ResponseWriter, r *http.Request) {
	request, ok := read[orderRequest](w, r)
	if !ok {
		return
	}
	if !request.sortAndCheck() {
		refuse(w, errNotValid)
		return
	}
	id, placed, err := s.placeOrder(r.Context(), request)
	if err != nil {
		refuse(w, err)
		return
	}
	s.accepted.Add(1)
	w.Header().Set("Location", fmt.Sprintf("/shop/orders/%d", id))
	respond(w, http.StatusCreated, placed)
}

// sortAndCheck brings the lines in the order of their items, in which all orders lock them, and reports whether the request is
// valid.
func (o *orderRequest) sortAndCheck() bool {
	slices.SortFunc(o.Lines, func(a, b lineRequest) int { return cmp.Compare(a.Item, b.Item) })
	for i, line := range o.Lines {
		if line.Item < 1 || line.Quantity < 1 || line.Quantity > mostQuantity || (i > 0 && line.Item == o.Lines[i-1].Item) {
			return false
		}
	}
	return isText(o.Customer, 1, longestName) && len(o.Lines) >= 1 && len(o.Lines) <= mostLines
}

// placeOrder keeps an order and takes its items from the stock, or does neither. It begins again as often as PostgreSQL ends the
// transaction for its isolation.
func (s *shop) placeOrder(ctx context.Context, request *orderRequest) (id int64, placed placedOrder, err error) {
	for {
		id, placed, err = s.placeOnce(ctx, request)
		if !isSerializationFailure(err) {
			return id, placed, err
		}
	}
}

// isSerializationFailure reports whether another transaction changed what this one changes, after this one began.
func isSerializationFailure(err error) bool {
	var ended *pgconn.PgError
	return errors.As(err, &ended) && ended.Code == serializationFailure
}

func (s *shop) placeOnce(ctx context.Context, request *orderRequest) (id int64, placed placedOrder, err error) {
	placed.Customer = request.Customer
	err = pgx.BeginFunc(ctx, s.database, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, insertOrder, request.Customer).Scan(&id); err != nil {
			return err
		}
		inserts := &pgx.Batch{}
		for number, wanted := range request.Lines {
			line, err := s.take(ctx, tx, wanted)
			if err != nil {
				return err
			}
			placed.add(line)
			inserts.Queue(insertLine, id, number+1, line.Item, line.Quantity, line.PriceCents)
		}
		return tx.SendBatch(ctx, inserts).Close()
	})
	return id, placed, err
}

// take takes an item from the stock, and is errOutOfStock where it cannot.
func (s *shop) take(ctx context.Context, tx pgx.Tx, wanted lineRequest) (orderLine, error) {
	line := orderLine{Item: wanted.Item, Quantity: wanted.Quantity}
	var err error
	if s.loseUpdates {
		err = s.takeCarelessly(ctx, &line)
	} else {
		err = tx.QueryRow(ctx, takeStock, line.Item, line.Quantity).Scan(&line.Name, &line.PriceCents)
	}
	if errors.Is(err, pgx.ErrNoRows) {
		err = errOutOfStock
	}
	return line, err
}

// takeCarelessly is the planted mistake: what another order takes between the two statements is given back.
func (s *shop) takeCarelessly(ctx context.Context, line *orderLine) error {
	var stock int64
	if err := s.database.QueryRow(ctx, readStock, line.Item).Scan(&line.Name, &line.PriceCents, &stock); err != nil {
		return err
	}
	if stock < line.Quantity {
		return errOutOfStock
	}
	_, err := s.database.Exec(ctx, writeStock, line.Item, stock-line.Quantity)
	return err
}

func (s *shop) serveOrder(w http.ResponseWriter, r *http.Request) {
	id, err := positive(r.PathValue("id"))
	if err != nil {
		refuse(w, err)
		return
	}
	answer := order{ID: id}
	rows, _ := s.database.Query(r.Context(), linesOf, id) // what fails, ForEachRow reports
	var line orderLine
	into := []any{&answer.Customer, &line.Item, &line.Name, &line.Quantity, &line.PriceCents}
	_, err = pgx.ForEachRow(rows, into, func() error {
		answer.add(line)
		return nil
	})
	if err == nil && len(answer.Lines) == 0 {
		err = errNotFound
	}
	if err != nil {
		refuse(w, err)
		return
	}
	respond(w, http.StatusOK, answer)
}

// isText reports whether a text has so many characters, and none that PostgreSQL does not keep.
func isText(text string, least, most int) bool {
	for _, character := range text {
		if character == 0 {
			return false
		}
	}
	length := utf8.RuneCountInString(text)
	return length >= least && length <= most
}
