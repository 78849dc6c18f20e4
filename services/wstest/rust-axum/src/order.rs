//! The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder).

use std::io;

use serde::{Serialize, Serializer};
use steelyard_soap::Answer;

use crate::operations::{element, leaf};

const MOST_ID: i32 = 999_999_999;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    pub order_id: i32,
    pub reference: String,
    pub order_date: String,
    pub customer: Customer,
    pub billing_address: Address,
    pub shipping_address: Address,
    pub items: Vec<Item>,
    pub total: Cents,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Customer {
    pub customer_id: i32,
    pub name: String,
    pub email: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Address {
    pub street: String,
    pub city: String,
    pub state: String,
    pub postal_code: String,
    pub country: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    pub line_number: i32,
    pub sku: String,
    pub description: String,
    pub quantity: i32,
    pub unit_price: Cents,
}

pub struct Cents(pub i32);

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

/// The purchase order of an id; none where there is no such order.
pub fn by_id(id: i32) -> Option<Order> {
    (0..=MOST_ID).contains(&id).then(|| of(id))
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
