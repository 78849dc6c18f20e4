package main

import (
	"net/http"
	"regexp"
)

type message struct {
	Reference       string        `json:"reference"`
	Customer        customer      `json:"customer"`
	Lines           []messageLine `json:"lines"`
	Gift            *bool         `json:"gift"`
	DiscountPercent *float64      `json:"discountPercent"`
	Note            *string       `json:"note"`
}

type customer struct {
	Name    string  `json:"name"`
	Email   string  `json:"email"`
	Address address `json:"address"`
}

type address struct {
	Street     string `json:"street"`
	City       string `json:"city"`
	PostalCode string `json:"postalCode"`
	Country    string `json:"country"`
}

type messageLine struct {
	SKU        string   `json:"sku"`
	Quantity   int64    `json:"quantity"`
	PriceCents *int64   `json:"priceCents"`
	Tags       []string `json:"tags"`
}

var (
	emailForm   = regexp.MustCompile(`^[^@\s]+@[^@\s]+$`)
	countryForm = regexp.MustCompile(`^[A-Z]{2}$`)
)

func serveEcho(w http.ResponseWriter, r *http.Request) {
	request, ok := read[message](w, r)
	if !ok {
		return
	}
	if !request.isValid() {
		refuse(w, errNotValid)
		return
	}
	respond(w, http.StatusOK, request)
}

func (m *message) isValid() bool {
	for i := range m.Lines {
		if !m.Lines[i].isValid() {
			return false
		}
	}
	return isText(m.Reference, 1, 100) && m.Customer.isValid() && len(m.Lines) >= 1 && len(m.Lines) <= 50 &&
		m.Gift != nil && m.DiscountPercent != nil && *m.DiscountPercent >= 0 && *m.DiscountPercent <= 100 &&
		m.Note != nil && isText(*m.Note, 0, 500)
}

func (c *customer) isValid() bool {
	return isText(c.Name, 1, 100) && isText(c.Email, 1, 200) && emailForm.MatchString(c.Email) && c.Address.isValid()
}

func (a *address) isValid() bool {
	return isText(a.Street, 1, 100) && isText(a.City, 1, 100) && isText(a.PostalCode, 1, 20) && countryForm.MatchString(a.Country)
}

func (l *messageLine) isValid() bool {
	for _, tag := range l.Tags {
		if !isText(tag, 1, 30) {
			return false
		}
	}
	return isText(l.SKU, 1, 30) && l.Quantity >= 1 && l.Quantity <= 1000 &&
		l.PriceCents != nil && *l.PriceCents >= 0 && *l.PriceCents <= 10_000_000 && l.Tags != nil && len(l.Tags) <= 8
}
