package main

import (
	"encoding/xml"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const buffetSpace = "urn:steelyard:soakit:buffet"

type buffetOrder struct {
	Header *buffetHeader `xml:"Header"`
	Parts  *struct {
		Part []buffetPart `xml:"Part"`
	} `xml:"Parts"`
}

type buffetHeader struct {
	OrderNumber string `xml:"OrderNumber"`
	Customer    string `xml:"Customer"`
	Mail        string `xml:"Mail"`
	Country     string `xml:"Country"`
	Currency    string `xml:"Currency"`
	OrderDate   string `xml:"OrderDate"`
}

type buffetPart struct {
	Number      string `xml:"Number"`
	Sku         string `xml:"Sku"`
	Description string `xml:"Description"`
	Quantity    string `xml:"Quantity"`
	Unit        string `xml:"Unit"`
	UnitPrice   string `xml:"UnitPrice"`
	Total       string `xml:"Total"`
	NeededBy    string `xml:"NeededBy"`
	Warehouse   string `xml:"Warehouse"`
}

type validation struct {
	XMLName     xml.Name    `xml:"urn:steelyard:soakit:buffet Validation"`
	OrderNumber string      `xml:"OrderNumber"`
	Customer    string      `xml:"Customer"`
	Parts       int         `xml:"Parts"`
	Violations  []violation `xml:"Violation"`
}

type violation struct {
	Part    int    `xml:"Part"`
	Element string `xml:"Element"`
	Value   string `xml:"Value"`
}

var (
	orderNumberForm = regexp.MustCompile(`^ORD-[0-9]{8}$`)
	mailForm        = regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+$`)
	skuForm         = regexp.MustCompile(`^[A-Z]{3}-[0-9]{5}$`)
	quantityForm    = regexp.MustCompile(`^[1-9][0-9]{0,3}$`)
	priceForm       = regexp.MustCompile(`^[0-9]{1,6}\.[0-9]{2}$`)
	totalForm       = regexp.MustCompile(`^[0-9]{1,10}\.[0-9]{2}$`)
	dateForm        = regexp.MustCompile(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}$`)
	warehouseForm   = regexp.MustCompile(`^W[0-9]{2}$`)
	countries       = []string{"AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US"}
	currencies      = []string{"CHF", "EUR", "GBP", "JPY", "USD"}
	units           = []string{"each", "box", "kilogram", "litre", "metre"}
)

// validate names each element whose text breaks its rule, in the order of the document.
func validate(order *buffetOrder) (any, error) {
	if order.Header == nil || order.Parts == nil {
		return nil, errors.New("the order lacks its header or its parts")
	}
	header := order.Header
	answer := &validation{OrderNumber: header.OrderNumber, Customer: header.Customer, Parts: len(order.Parts.Part)}
	check := func(part int, element, value string, holds bool) {
		if !holds {
			answer.Violations = append(answer.Violations, violation{part, element, value})
		}
	}
	ordered, dated := date(header.OrderDate)
	check(0, "OrderNumber", header.OrderNumber, orderNumberForm.MatchString(header.OrderNumber))
	check(0, "Customer", header.Customer, isText(header.Customer, 40))
	check(0, "Mail", header.Mail, mailForm.MatchString(header.Mail))
	check(0, "Country", header.Country, slices.Contains(countries, header.Country))
	check(0, "Currency", header.Currency, slices.Contains(currencies, header.Currency))
	check(0, "OrderDate", header.OrderDate, dated)
	for i := range order.Parts.Part {
		place, part := i+1, &order.Parts.Part[i]
		needed, known := date(part.NeededBy)
		check(place, "Number", part.Number, part.Number == strconv.Itoa(place))
		check(place, "Sku", part.Sku, skuForm.MatchString(part.Sku))
		check(place, "Description", part.Description, isText(part.Description, 80))
		check(place, "Quantity", part.Quantity, quantityForm.MatchString(part.Quantity))
		check(place, "Unit", part.Unit, slices.Contains(units, part.Unit))
		check(place, "UnitPrice", part.UnitPrice, priceForm.MatchString(part.UnitPrice))
		check(place, "Total", part.Total, isTotal(part))
		check(place, "NeededBy", part.NeededBy, known && (!dated || !needed.Before(ordered)))
		check(place, "Warehouse", part.Warehouse, warehouseForm.MatchString(part.Warehouse))
	}
	return answer, nil
}

func isText(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && strings.Trim(text, " ") != ""
}

// isTotal is whether the total is quantity times unit price, which is not asked where one of these breaks its own rule.
func isTotal(part *buffetPart) bool {
	if !totalForm.MatchString(part.Total) {
		return false
	}
	if !quantityForm.MatchString(part.Quantity) || !priceForm.MatchString(part.UnitPrice) {
		return true
	}
	quantity, _ := strconv.ParseInt(part.Quantity, 10, 64)
	return quantity*cents(part.UnitPrice) == cents(part.Total)
}

func cents(amount string) int64 {
	n, _ := strconv.ParseInt(strings.Replace(amount, ".", "", 1), 10, 64)
	return n
}

// date is a day of the years 2000 to 2099.
func date(text string) (time.Time, bool) {
	if !dateForm.MatchString(text) {
		return time.Time{}, false
	}
	day, err := time.Parse(time.DateOnly, text)
	return day, err == nil
}
