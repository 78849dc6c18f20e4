//! TV Dinner, by binding: serde makes structs of a purchase order, and passes over what is not asked for.
//!
//! It knows elements and attributes by their local names alone, so `xsi:type` is a text whose prefix says nothing.

use std::sync::LazyLock;

use quick_xml::de::Deserializer;
use regex::Regex;
use serde::de::{Error, IgnoredAny};
use serde::{Deserialize, Serialize};
use steelyard_soap::{Fault, Reader};

use crate::documents;

const ORDER_SPACE: &str = "urn:steelyard:soakit:order";
const PLACES: usize = 6; // behind the point of a number; twice as many behind that of a product
const ONE: i128 = 10_i128.pow(PLACES as u32);
const WHITE: [char; 4] = [' ', '\t', '\r', '\n'];

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ProcessPurchaseOrder {
    application_area: ApplicationArea,
    data_area: DataArea<PurchaseOrder>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ApplicationArea {
    document_id: String,
}

#[derive(Deserialize, Serialize)]
#[serde(rename_all = "PascalCase")]
struct DataArea<Order> {
    #[serde(skip_deserializing, skip_serializing_if = "Option::is_none")]
    acknowledge: Option<Acknowledge>,
    purchase_order: Order,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PurchaseOrder {
    header: Header,
    #[serde(default)]
    line: Vec<Line>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Header {
    order_id: String,
    priority: String,
    #[serde(default)]
    party: Vec<Party>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Party {
    #[serde(rename = "@type", default)]
    kind: String,
    name: String,
    contact: Option<Contact>,
}

/// Elements that have no name here are those of the substitution group.
#[derive(Deserialize)]
struct Contact {
    #[serde(rename = "Person", default)]
    _person: IgnoredAny,
    #[serde(rename = "$value", default)]
    reached: Vec<Communication>,
}

#[derive(Deserialize, PartialEq)]
enum Communication {
    Telephone,
    Mail,
    Fax,
    Web,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Line {
    line_number: Number,
    #[serde(default)]
    subline: Vec<Subline>,
}

/// Elements that have no name here are those of the substitution group.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Subline {
    #[serde(rename = "SublineNumber", default)]
    _number: IgnoredAny,
    item: Item,
    quantity: Number,
    price: Amount,
    #[serde(rename = "Tax", default)]
    _tax: IgnoredAny,
    #[serde(rename = "$value", default)]
    charges: Vec<Charge>,
    #[serde(rename = "Delivery", default)]
    _delivery: IgnoredAny,
    #[serde(rename = "Schedule", default)]
    _schedule: IgnoredAny,
    #[serde(rename = "Packaging", default)]
    _packaging: IgnoredAny,
    #[serde(rename = "PriceList", default)]
    _price_list: IgnoredAny,
    #[serde(rename = "Inspection", default)]
    _inspection: IgnoredAny,
    #[serde(rename = "Traceability", default)]
    _traceability: IgnoredAny,
    #[serde(rename = "UserArea", default)]
    _own: IgnoredAny,
}

#[derive(Deserialize)]
struct Item {
    #[serde(rename = "@type", default)]
    kind: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Amount {
    amount: Number,
}

#[derive(Deserialize)]
enum Charge {
    Freight(Amount),
    Discount(Amount),
}

/// An `xs:decimal` in millionths, exact; also a line's number, which is whole.
#[derive(Clone, Copy)]
struct Number(i128);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        static FORM: LazyLock<Regex> =
            LazyLock::new(|| Regex::new(r"^([+-]?)(?:([0-9]+)\.?([0-9]{0,6})|\.([0-9]{1,6}))$").expect("a pattern"));
        let text = String::deserialize(deserializer)?;
        let read = FORM.captures(text.trim_matches(WHITE)).and_then(|parts| {
            let part = |number| parts.get(number).map_or("", |part| part.as_str());
            let fraction = format!("{}{}", part(3), part(4));
            format!("{}{}{fraction:0<PLACES$}", part(1), part(2)).parse().ok()
        });
        read.map(Self)
            .ok_or_else(|| D::Error::custom(format!("{text:.40?} is no number that is taken here")))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct AcknowledgePurchaseOrder {
    #[serde(rename = "@xmlns")]
    space: &'static str,
    original: String,
    data_area: DataArea<AcknowledgedOrder>,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Acknowledge {
    response: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct AcknowledgedOrder {
    order_id: String,
    buyer: String,
    priority: String,
    telephones: usize,
    line: Vec<AcknowledgedLine>,
    amount: String,
}

#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct AcknowledgedLine {
    line_number: String,
    sublines: usize,
    kits: usize,
    quantity: String,
    amount: String,
    #[serde(skip)]
    cost: i128,
}

/// Counts and adds up a purchase order.
pub fn acknowledge(reader: &mut Reader<'_>) -> Result<String, Fault> {
    let ahead = reader.ahead();
    documents::enter(reader, ORDER_SPACE, "ProcessPurchaseOrder")?;
    reader.skip()?; // serde tells no namespaces, no document types, and not how deep elements nest
    let document = ProcessPurchaseOrder::deserialize(&mut Deserializer::borrowing(ahead))
        .map_err(|error| Fault::client(error.to_string()))?;
    let PurchaseOrder { header, line } = document.data_area.purchase_order;
    let buyer = header
        .party
        .into_iter()
        .rfind(|party| local(&party.kind) == "BuyerParty");
    let buyer = buyer.ok_or_else(|| Fault::client("the order has no buyer"))?;
    let reached = buyer.contact.map_or_else(Vec::new, |contact| contact.reached);
    let lines = line.iter().map(acknowledge_line).collect::<Result<Vec<_>, _>>()?;
    let amount = sum(lines.iter().map(|line| Some(line.cost)))?;
    documents::written(&AcknowledgePurchaseOrder {
        space: ORDER_SPACE,
        original: document.application_area.document_id,
        data_area: DataArea {
            acknowledge: Some(Acknowledge {
                response: if lines.is_empty() { "Empty" } else { "Accepted" },
            }),
            purchase_order: AcknowledgedOrder {
                order_id: header.order_id,
                buyer: buyer.name,
                priority: header.priority.trim_matches(WHITE).to_owned(),
                telephones: reached.iter().filter(|each| **each == Communication::Telephone).count(),
                line: lines,
                amount: plain(amount, 2 * PLACES),
            },
        },
    })
}

fn acknowledge_line(line: &Line) -> Result<AcknowledgedLine, Fault> {
    if line.line_number.0 % ONE != 0 {
        return Err(Fault::client("a line's number is not whole"));
    }
    let cost = sum(line.subline.iter().map(cost))?;
    Ok(AcknowledgedLine {
        line_number: plain(line.line_number.0, PLACES),
        sublines: line.subline.len(),
        kits: line
            .subline
            .iter()
            .filter(|each| local(&each.item.kind) == "KitItem")
            .count(),
        quantity: plain(sum(line.subline.iter().map(|each| Some(each.quantity.0)))?, PLACES),
        amount: plain(cost, 2 * PLACES),
        cost,
    })
}

/// Quantity times price, plus freights, less discounts, in millionths of millionths; None beyond 128 bits.
fn cost(subline: &Subline) -> Option<i128> {
    let goods = subline.quantity.0.checked_mul(subline.price.amount.0)?;
    subline.charges.iter().try_fold(goods, |cost, charge| match charge {
        Charge::Freight(freight) => cost.checked_add(freight.amount.0.checked_mul(ONE)?),
        Charge::Discount(discount) => cost.checked_sub(discount.amount.0.checked_mul(ONE)?),
    })
}

fn sum(mut numbers: impl Iterator<Item = Option<i128>>) -> Result<i128, Fault> {
    let sum = numbers.try_fold(0, |sum: i128, number| sum.checked_add(number?));
    sum.ok_or_else(|| Fault::client("the order's numbers are too large to be added up"))
}

/// A number with so many places behind its point, in full, with no zeros at its end.
fn plain(number: i128, places: usize) -> String {
    let digits = format!("{:0>width$}", number.unsigned_abs(), width = places + 1);
    let (whole, fraction) = digits.split_at(digits.len() - places);
    let text = format!("{}{whole}.{fraction}", if number < 0 { "-" } else { "" });
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// The local part of what `xsi:type` names.
fn local(name: &str) -> &str {
    let name = name.trim_matches(WHITE);
    name.split_once(':').map_or(name, |(_, local)| local)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Deserialize)]
    struct Numbers {
        #[serde(rename = "N")]
        number: Number,
    }

    fn read(text: &str) -> Option<String> {
        let numbers: Numbers = quick_xml::de::from_str(&format!("<A><N unit='each'>{text}</N></A>")).ok()?;
        Some(plain(numbers.number.0, PLACES))
    }

    #[test]
    fn numbers_are_read_in_every_spelling_and_written_in_full() {
        for (text, plain) in [
            ("12.50", "12.5"),
            (" +007\n", "7"),
            ("-0.000001", "-0.000001"),
            (".5", "0.5"),
            ("5.", "5"),
            ("-0", "0"),
            ("1<!-- -->00<![CDATA[0]]>&#46;10", "1000.1"),
        ] {
            assert_eq!(read(text).as_deref(), Some(plain), "{text}");
        }
    }

    #[test]
    fn what_is_no_number_or_too_long_a_one_is_refused() {
        let long = "9".repeat(40);
        for text in [
            "",
            "many",
            "1e3",
            "0x1",
            "1.2.3",
            "1_000",
            "-",
            ".",
            "<a/>",
            "0.0000001",
            &long,
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_sum_beyond_what_a_number_holds_is_refused() {
        assert!(sum([Some(i128::MAX), Some(1)].into_iter()).is_err());
        assert!(sum([None].into_iter()).is_err());
    }

    /// What README.md says of this binding; where a version of quick-xml does better, it says so here.
    #[test]
    fn serde_takes_line_ends_of_xml_1_1_and_tells_the_elements_of_a_list_by_their_prefix() {
        #[derive(Deserialize)]
        struct Texts {
            #[serde(rename = "N")]
            texts: Vec<String>,
        }
        let read = |text: &str| quick_xml::de::from_str::<Texts>(text).ok().map(|read| read.texts);
        let texts = |texts: [&str; 2]| Some(texts.map(str::to_owned).to_vec());
        assert_eq!(read("<A><N>a\u{85}b</N><N>\u{2028}</N></A>"), texts(["a\nb", "\n"]));
        assert_eq!(read("<A xmlns:p='u'><p:N>a</p:N><p:N/></A>"), texts(["a", ""]));
        assert_eq!(read("<A xmlns:p='u' xmlns:q='u'><p:N>a</p:N><q:N/></A>"), None);
    }
}
