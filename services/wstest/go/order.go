package main

import "fmt"

type purchaseOrder struct {
	OrderID         int32      `xml:"orderId" json:"orderId"`
	Reference       string     `xml:"reference" json:"reference"`
	OrderDate       string     `xml:"orderDate" json:"orderDate"`
	Customer        customer   `xml:"customer" json:"customer"`
	BillingAddress  address    `xml:"billingAddress" json:"billingAddress"`
	ShippingAddress address    `xml:"shippingAddress" json:"shippingAddress"`
	Items           []lineItem `xml:"item" json:"items"`
	Total           cents      `xml:"total" json:"total"`
}

type customer struct {
	CustomerID int32  `xml:"customerId" json:"customerId"`
	Name       string `xml:"name" json:"name"`
	Email      string `xml:"email" json:"email"`
}

type address struct {
	Street     string `xml:"street" json:"street"`
	City       string `xml:"city" json:"city"`
	State      string `xml:"state" json:"state"`
	PostalCode string `xml:"postalCode" json:"postalCode"`
	Country    string `xml:"country" json:"country"`
}

type lineItem struct {
	LineNumber  int32  `xml:"lineNumber" json:"lineNumber"`
	SKU         string `xml:"sku" json:"sku"`
	Description string `xml:"description" json:"description"`
	Quantity    int32  `xml:"quantity" json:"quantity"`
	UnitPrice   cents  `xml:"unitPrice" json:"unitPrice"`
}

// cents is an amount of money, written as a decimal number.
type cents int32

func (c cents) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%d.%02d", c/100, c%100), nil
}

// MarshalJSON writes it as a number.
func (c cents) MarshalJSON() ([]byte, error) { return c.MarshalText() }

// newPurchaseOrder follows the rule in contract/wstest.xsd (type PurchaseOrder).
func newPurchaseOrder(n int32) *purchaseOrder {
	id := 1000 + n%9000
	order := &purchaseOrder{
		OrderID:         n,
		Reference:       fmt.Sprintf("PO-%09d", n),
		OrderDate:       fmt.Sprintf("2004-%02d-%02d", 1+n%12, 1+n%28),
		Customer:        customer{id, fmt.Sprintf("Customer %d", id), fmt.Sprintf("customer%d@example.com", id)},
		BillingAddress:  newAddress(n),
		ShippingAddress: newAddress(n / 10),
	}
	for i := int32(1); i <= 5+n%6; i++ {
		item := lineItem{
			LineNumber:  i,
			SKU:         fmt.Sprintf("SKU-%05d", n%10000+37*i),
			Description: fmt.Sprintf("Nuts & bolts, size %d", 1+(n+i)%12),
			Quantity:    1 + (n+i)%9,
			UnitPrice:   cents(100 + 7*(n%1000) + 25*i),
		}
		order.Items = append(order.Items, item)
		order.Total += cents(item.Quantity) * item.UnitPrice
	}
	return order
}

func newAddress(k int32) address {
	return address{
		Street:     fmt.Sprintf("%d Main Street", 1+k%199),
		City:       fmt.Sprintf("City %d", k%100),
		State:      fmt.Sprintf("State %d", k%50),
		PostalCode: fmt.Sprintf("%05d", k%100000),
		Country:    "US",
	}
}
