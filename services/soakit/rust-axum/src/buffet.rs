//! The Buffet, by a tree of all of the message (roxmltree), in which every element of an order is checked by its rule.

use std::sync::LazyLock;

use chrono::NaiveDate;
use regex::Regex;
use roxmltree::{Document, Node};
use serde::Serialize;
use steelyard_soap::{Fault, Reader};

use crate::documents;

const BUFFET_SPACE: &str = "urn:steelyard:soakit:buffet";
const HEADER: [&str; 6] = ["OrderNumber", "Customer", "Mail", "Country", "Currency", "OrderDate"];
const PART: [&str; 9] = [
    "Number",
    "Sku",
    "Description",
    "Quantity",
    "Unit",
    "UnitPrice",
    "Total",
    "NeededBy",
    "Warehouse",
];
const COUNTRIES: [&str; 10] = ["AT", "CA", "CH", "DE", "FR", "GB", "IT", "JP", "PL", "US"];
const CURRENCIES: [&str; 5] = ["CHF", "EUR", "GBP", "JPY", "USD"];
const UNITS: [&str; 5] = ["each", "box", "kilogram", "litre", "metre"];

/// The forms that texts are held to, whole.
struct Forms {
    order_number: Regex,
    mail: Regex,
    sku: Regex,
    quantity: Regex,
    unit_price: Regex,
    total: Regex,
    day: Regex,
    warehouse: Regex,
}

static FORMS: LazyLock<Forms> = LazyLock::new(|| {
    let form = |pattern: &str| Regex::new(&format!("^(?:{pattern})$")).expect("a pattern");
    Forms {
        order_number: form(r"ORD-[0-9]{8}"),
        mail: form(r"[A-Za-z0-9._-]+@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)+"),
        sku: form(r"[A-Z]{3}-[0-9]{5}"),
        quantity: form(r"[1-9][0-9]{0,3}"),
        unit_price: form(r"[0-9]{1,6}\.[0-9]{2}"),
        total: form(r"[0-9]{1,10}\.[0-9]{2}"),
        day: form(r"20[0-9]{2}-[0-9]{2}-[0-9]{2}"),
        warehouse: form(r"W[0-9]{2}"),
    }
});

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Validation {
    #[serde(rename = "@xmlns")]
    space: &'static str,
    order_number: String,
    customer: String,
    parts: usize,
    violation: Vec<Violation>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Violation {
    part: usize,
    element: &'static str,
    value: String,
}

/// Names each element whose text breaks its rule, in the order of the schema.
pub fn validate(reader: &mut Reader<'_>) -> Result<String, Fault> {
    let at = documents::enter(reader, BUFFET_SPACE, "Order")?.at;
    reader.skip()?; // the tree does not bound how deep elements nest
    let tree = Document::parse(reader.message()).map_err(|error| Fault::client(error.to_string()))?;
    let order = tree
        .descendants()
        .find(|node| node.is_element() && node.range().start == at);
    let order = order.ok_or_else(|| Fault::server("the tree lacks the document"))?;
    let (Some(header), Some(parts)) = (child(order, "Header"), child(order, "Parts")) else {
        return Err(Fault::client("the order lacks its header or its parts"));
    };
    let header = HEADER.map(|name| text(header, name));
    let parts: Vec<_> = parts.children().filter(|node| is(node, "Part")).collect();
    let ordered = day(&header[5]);
    let mut violation: Vec<_> = broken(0, HEADER, &header, header_rules(&header)).collect();
    for (number, part) in (1..).zip(&parts) {
        let part = PART.map(|name| text(*part, name));
        violation.extend(broken(number, PART, &part, part_rules(&part, number, ordered)));
    }
    let [order_number, customer, ..] = header;
    documents::written(&Validation {
        space: BUFFET_SPACE,
        order_number,
        customer,
        parts: parts.len(),
        violation,
    })
}

/// The elements whose rules do not hold.
fn broken<const N: usize>(
    part: usize,
    names: [&'static str; N],
    values: &[String; N],
    holds: [bool; N],
) -> impl Iterator<Item = Violation> {
    let told = names.into_iter().zip(values).zip(holds).filter(|(_, holds)| !holds);
    told.map(move |((element, value), _)| Violation {
        part,
        element,
        value: value.clone(),
    })
}

fn header_rules([number, customer, mail, country, currency, date]: &[String; 6]) -> [bool; 6] {
    [
        FORMS.order_number.is_match(number),
        is_text(customer, 40),
        FORMS.mail.is_match(mail),
        COUNTRIES.contains(&country.as_str()),
        CURRENCIES.contains(&currency.as_str()),
        day(date).is_some(),
    ]
}

fn part_rules(part: &[String; 9], place: usize, ordered: Option<NaiveDate>) -> [bool; 9] {
    let [
        number,
        sku,
        description,
        quantity,
        unit,
        price,
        total,
        needed,
        warehouse,
    ] = part;
    [
        *number == place.to_string(),
        FORMS.sku.is_match(sku),
        is_text(description, 80),
        FORMS.quantity.is_match(quantity),
        UNITS.contains(&unit.as_str()),
        FORMS.unit_price.is_match(price),
        is_total(quantity, price, total),
        day(needed).is_some_and(|needed| ordered.is_none_or(|ordered| needed >= ordered)),
        FORMS.warehouse.is_match(warehouse),
    ]
}

fn is_text(text: &str, most: usize) -> bool {
    text.chars().count() <= most && !text.trim_matches(' ').is_empty()
}

/// Whether the total is quantity times unit price, which is not asked where one of these breaks its own rule.
fn is_total(quantity: &str, price: &str, total: &str) -> bool {
    let cents = |amount: &str| amount.replace('.', "").parse::<u64>().ok();
    if !FORMS.total.is_match(total) {
        return false;
    }
    if !FORMS.quantity.is_match(quantity) || !FORMS.unit_price.is_match(price) {
        return true;
    }
    let product = |price| Some(price? * quantity.parse::<u64>().ok()?);
    product(cents(price)) == cents(total)
}

/// A day of the years 2000 to 2099.
fn day(text: &str) -> Option<NaiveDate> {
    if !FORMS.day.is_match(text) {
        return None;
    }
    NaiveDate::from_ymd_opt(
        text[..4].parse().ok()?,
        text[5..7].parse().ok()?,
        text[8..].parse().ok()?,
    )
}

fn is(node: &Node<'_, '_>, name: &str) -> bool {
    node.has_tag_name((BUFFET_SPACE, name))
}

fn child<'a, 'm>(of: Node<'a, 'm>, name: &str) -> Option<Node<'a, 'm>> {
    of.children().find(|node| is(node, name))
}

/// The text of a child, in however many pieces; a missing one counts as empty.
fn text(of: Node<'_, '_>, name: &str) -> String {
    let pieces = child(of, name).into_iter().flat_map(|node| node.children());
    pieces.filter(Node::is_text).filter_map(|piece| piece.text()).collect()
}
