package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

const orderSpace = "urn:steelyard:soakit:order"

// What is asked for of a purchase order: encoding/xml passes over the rest.

type processPurchaseOrder struct {
	DocumentID *string        `xml:"ApplicationArea>DocumentId"`
	Order      *purchaseOrder `xml:"DataArea>PurchaseOrder"`
}

type purchaseOrder struct {
	OrderID  *string `xml:"Header>OrderId"`
	Priority *string `xml:"Header>Priority"`
	Parties  []party `xml:"Header>Party"`
	Lines    []line  `xml:"Line"`
}

type party struct {
	Type       typeName   `xml:"http://www.w3.org/2001/XMLSchema-instance type,attr"`
	Name       string     `xml:"Name"`
	Telephones []struct{} `xml:"Contact>Telephone"`
}

type line struct {
	Number   *integer  `xml:"LineNumber"`
	Sublines []subline `xml:"Subline"`
}

type subline struct {
	Item     item      `xml:"Item"`
	Quantity *decimal  `xml:"Quantity"`
	Price    *decimal  `xml:"Price>Amount"`
	Freight  []decimal `xml:"Freight>Amount"`
	Discount []decimal `xml:"Discount>Amount"`
}

type item struct {
	Type typeName `xml:"http://www.w3.org/2001/XMLSchema-instance type,attr"`
}

// typeName is the local part of what xsi:type names; encoding/xml tells no prefix's namespace.
type typeName string

func (t *typeName) UnmarshalXMLAttr(attribute xml.Attr) error {
	name := strings.TrimSpace(attribute.Value)
	*t = typeName(name[strings.IndexByte(name, ':')+1:])
	return nil
}

var (
	decimalForm = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)$`)
	integerForm = regexp.MustCompile(`^[+-]?[0-9]+$`)
)

const (
	decimalPlaces = 6
	mostDigits    = 40
)

// decimal is an xs:decimal as a whole number of millionths.
type decimal struct{ big.Int }

func (d *decimal) UnmarshalText(text []byte) error {
	number := strings.TrimSpace(string(text))
	whole, fraction, _ := strings.Cut(number, ".")
	if !decimalForm.MatchString(number) || len(number) > mostDigits || len(fraction) > decimalPlaces {
		return fmt.Errorf("%.40q is no number", text)
	}
	digits := whole + fraction + strings.Repeat("0", decimalPlaces-len(fraction))
	if _, good := d.SetString(digits, 10); !good {
		return fmt.Errorf("%.40q is no number", text)
	}
	return nil
}

// integer is an xs:integer.
type integer struct{ big.Int }

func (i *integer) UnmarshalText(text []byte) error {
	number := strings.TrimSpace(string(text))
	if !integerForm.MatchString(number) || len(number) > mostDigits {
		return fmt.Errorf("%.40q is no whole number", text)
	}
	i.SetString(number, 10)
	return nil
}

// written is a number of so many places after the point, with no zeros at its end.
func written(number *big.Int, places int) string {
	text := new(big.Int).Abs(number).String()
	if len(text) <= places {
		text = strings.Repeat("0", places-len(text)+1) + text
	}
	point := len(text) - places
	fraction := strings.TrimRight(text[point:], "0")
	sign := ""
	if number.Sign() < 0 {
		sign = "-"
	}
	if fraction == "" {
		return sign + text[:point]
	}
	return sign + text[:point] + "." + fraction
}

type acknowledgePurchaseOrder struct {
	XMLName  xml.Name          `xml:"urn:steelyard:soakit:order AcknowledgePurchaseOrder"`
	Original string            `xml:"Original"`
	Response string            `xml:"DataArea>Acknowledge>Response"`
	Order    acknowledgedOrder `xml:"DataArea>PurchaseOrder"`
}

type acknowledgedOrder struct {
	OrderID    string             `xml:"OrderId"`
	Buyer      string             `xml:"Buyer"`
	Priority   string             `xml:"Priority"`
	Telephones int                `xml:"Telephones"`
	Lines      []acknowledgedLine `xml:"Line"`
	Amount     string             `xml:"Amount"`
}

type acknowledgedLine struct {
	Number   string `xml:"LineNumber"`
	Sublines int    `xml:"Sublines"`
	Kits     int    `xml:"Kits"`
	Quantity string `xml:"Quantity"`
	Amount   string `xml:"Amount"`
}

// acknowledge counts and adds up a purchase order.
func acknowledge(document *processPurchaseOrder) (any, error) {
	order := document.Order
	if document.DocumentID == nil || order == nil || order.OrderID == nil || order.Priority == nil {
		return nil, errors.New("the order lacks its identifiers")
	}
	answer := &acknowledgePurchaseOrder{Original: *document.DocumentID, Response: "Empty"}
	answer.Order.OrderID = *order.OrderID
	answer.Order.Priority = strings.TrimSpace(*order.Priority)
	bought := false
	for _, party := range order.Parties {
		if party.Type == "BuyerParty" {
			answer.Order.Buyer, answer.Order.Telephones, bought = party.Name, len(party.Telephones), true
		}
	}
	if !bought {
		return nil, errors.New("the order has no buyer")
	}
	var total big.Int
	for _, line := range order.Lines {
		acknowledged, amount, err := acknowledgeLine(&line)
		if err != nil {
			return nil, err
		}
		total.Add(&total, amount)
		answer.Order.Lines = append(answer.Order.Lines, *acknowledged)
		answer.Response = "Accepted"
	}
	answer.Order.Amount = written(&total, 2*decimalPlaces)
	return answer, nil
}

func acknowledgeLine(line *line) (*acknowledgedLine, *big.Int, error) {
	if line.Number == nil {
		return nil, nil, errors.New("a line has no number")
	}
	var quantity, amount, product, scale big.Int
	scale.Exp(big.NewInt(10), big.NewInt(decimalPlaces), nil)
	found := &acknowledgedLine{Number: line.Number.String(), Sublines: len(line.Sublines)}
	for i := range line.Sublines {
		subline := &line.Sublines[i]
		if subline.Quantity == nil || subline.Price == nil {
			return nil, nil, errors.New("a subline lacks its quantity or price")
		}
		if subline.Item.Type == "KitItem" {
			found.Kits++
		}
		quantity.Add(&quantity, &subline.Quantity.Int)
		amount.Add(&amount, product.Mul(&subline.Quantity.Int, &subline.Price.Int))
		for j := range subline.Freight {
			amount.Add(&amount, product.Mul(&subline.Freight[j].Int, &scale))
		}
		for j := range subline.Discount {
			amount.Sub(&amount, product.Mul(&subline.Discount[j].Int, &scale))
		}
	}
	found.Quantity = written(&quantity, decimalPlaces)
	found.Amount = written(&amount, 2*decimalPlaces)
	return found, &amount, nil
}
