//! The purchase order of an id, by the rule in contract/wstest.xsd (type PurchaseOrder).

use std::io;

use steelyard_soap::Answer;

use crate::operations::{element, leaf};

/// Writes the purchase order number `n`, 0 to 999999999.
pub fn write(answer: &mut Answer, n: i32) -> io::Result<()> {
    element(answer, "return", |answer| {
        leaf(answer, "orderId", &n.to_string())?;
        leaf(answer, "reference", &format!("PO-{n:09}"))?;
        leaf(
            answer,
            "orderDate",
            &format!("2004-{:02}-{:02}", 1 + n % 12, 1 + n % 28),
        )?;
        write_customer(answer, 1000 + n % 9000)?;
        write_address(answer, "billingAddress", n)?;
        write_address(answer, "shippingAddress", n / 10)?;
        let mut total = 0;
        for i in 1..=5 + n % 6 {
            let (quantity, cents) = (1 + (n + i) % 9, 100 + 7 * (n % 1000) + 25 * i);
            total += quantity * cents;
            element(answer, "item", |answer| {
                leaf(answer, "lineNumber", &i.to_string())?;
                leaf(answer, "sku", &format!("SKU-{:05}", n % 10000 + 37 * i))?;
                leaf(
                    answer,
                    "description",
                    &format!("Nuts & bolts, size {}", 1 + (n + i) % 12),
                )?;
                leaf(answer, "quantity", &quantity.to_string())?;
                leaf(answer, "unitPrice", &money(cents))
            })?;
        }
        leaf(answer, "total", &money(total))
    })
}

fn write_customer(answer: &mut Answer, id: i32) -> io::Result<()> {
    element(answer, "customer", |answer| {
        leaf(answer, "customerId", &id.to_string())?;
        leaf(answer, "name", &format!("Customer {id}"))?;
        leaf(answer, "email", &format!("customer{id}@example.com"))
    })
}

fn write_address(answer: &mut Answer, name: &str, k: i32) -> io::Result<()> {
    element(answer, name, |answer| {
        leaf(answer, "street", &format!("{} Main Street", 1 + k % 199))?;
        leaf(answer, "city", &format!("City {}", k % 100))?;
        leaf(answer, "state", &format!("State {}", k % 50))?;
        leaf(answer, "postalCode", &format!("{:05}", k % 100_000))?;
        leaf(answer, "country", "US")
    })
}

fn money(cents: i32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}
