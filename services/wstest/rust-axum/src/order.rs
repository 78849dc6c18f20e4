//! The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder).

use std::io;

use serde::{Serialize, Serializer};
use steelyard_soap::Answer;

use crate::operations::{element, leaf};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    order_id: i32,
    reference: String,
    order_date: String,
    customer: Customer,
    billing_address: Address,
    shipping_address: Address,
    items: Vec<Item>,
    total: Cents,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Customer {
    customer_id: i32,
    name: String,
    email: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Address {
    street: String,
    city: String,
    state: String,
    postal_code: String,
    country: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    line_number: i32,
    sku: String,
    description: String,
    quantity: i32,
    unit_price: Cents,
}

struct Cents(i32);

impl Cents {
    fn text(&self) -> String {
        format!("{}.{:02}", self.0 / 100, self.0 % 100)
    }
}

/// The double nearest to it, which is written with no more digits than it has.
impl Serialize for Cents {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(f64::from(self.0) / 100.0)
    }
}

/// The purchase order number `n`, 0 to 999999999.
pub fn of(n: i32) -> Order {
    let id = 1000 + n % 9000;
    let item = |i| Item {
        line_number: i,
        sku: format!("SKU-{:05}", n % 10000 + 37 * i),
        description: format!("Nuts & bolts, size {}", 1 + (n + i) % 12),
        quantity: 1 + (n + i) % 9,
        unit_price: Cents(100 + 7 * (n % 1000) + 25 * i),
    };
    let items: Vec<Item> = (1..=5 + n % 6).map(item).collect();
    Order {
        order_id: n,
        reference: format!("PO-{n:09}"),
        order_date: format!("2004-{:02}-{:02}", 1 + n % 12, 1 + n % 28),
        customer: Customer {
            customer_id: id,
            name: format!("Customer {id}"),
            email: format!("customer{id}@example.com"),
        },
        billing_address: address(n),
        shipping_address: address(n / 10),
        total: Cents(items.iter().map(|item| item.quantity * item.unit_price.0).sum()),
        items,
    }
}

fn address(k: i32) -> Address {
    Address {
        street: format!("{} Main Street", 1 + k % 199),
        city: format!("City {}", k % 100),
        state: format!("State {}", k % 50),
        postal_code: format!("{:05}", k % 100_000),
        country: "US",
    }
}

/// Writes an order as the answer's element.
pub fn write(answer: &mut Answer, order: &Order) -> io::Result<()> {
    element(answer, "return", |answer| {
        leaf(answer, "orderId", &order.order_id.to_string())?;
        leaf(answer, "reference", &order.reference)?;
        leaf(answer, "orderDate", &order.order_date)?;
        element(answer, "customer", |answer| {
            leaf(answer, "customerId", &order.customer.customer_id.to_string())?;
            leaf(answer, "name", &order.customer.name)?;
            leaf(answer, "email", &order.customer.email)
        })?;
        write_address(answer, "billingAddress", &order.billing_address)?;
        write_address(answer, "shippingAddress", &order.shipping_address)?;
        for item in &order.items {
            element(answer, "item", |answer| {
                leaf(answer, "lineNumber", &item.line_number.to_string())?;
                leaf(answer, "sku", &item.sku)?;
                leaf(answer, "description", &item.description)?;
                leaf(answer, "quantity", &item.quantity.to_string())?;
                leaf(answer, "unitPrice", &item.unit_price.text())
            })?;
        }
        leaf(answer, "total", &order.total.text())
    })
}

fn write_address(answer: &mut Answer, name: &str, address: &Address) -> io::Result<()> {
    element(answer, name, |answer| {
        leaf(answer, "street", &address.street)?;
        leaf(answer, "city", &address.city)?;
        leaf(answer, "state", &address.state)?;
        leaf(answer, "postalCode", &address.postal_code)?;
        leaf(answer, "country", address.country)
    })
}
