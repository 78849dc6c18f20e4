//! Right answers without reading XML: a request that stands as the contract writes it has its values at known places, and
//! they are copied as bytes. Whatever does not stand so is not known.

use std::fmt::Write;

const HEAD: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    r#"<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><"#
);
const TAIL: &str = "</soap:Body></soap:Envelope>";
const SPACE: &str = r#" xmlns="urn:steelyard:wstest">"#;

/// The answer to a request as the contract writes it; None for any other.
pub fn to(request: &[u8]) -> Option<Vec<u8>> {
    let request = std::str::from_utf8(request).ok()?.trim_ascii_end();
    let body = request.strip_prefix(HEAD)?.strip_suffix(TAIL)?;
    let (operation, rest) = body.split_once(SPACE)?;
    let content = rest.strip_suffix('>')?.strip_suffix(operation)?.strip_suffix("</")?;
    let content = match operation {
        "echoVoid" if content.trim_ascii().is_empty() => String::new(),
        "echoStruct" => content
            .replace("<struct>", "<return>")
            .replace("</struct>", "</return>"),
        "echoList" => content
            .replacen("<list>", "<return>", 1)
            .replace("</list>", "</return>"),
        "echoSynthetic" => format!("<return>{content}</return>"),
        "getOrder" => purchase_order(
            content
                .trim_ascii()
                .strip_prefix("<orderId>")?
                .strip_suffix("</orderId>")?
                .parse()
                .ok()?,
        ),
        _ => return None,
    };
    Some(envelope(&format!("{operation}Response"), &content).into_bytes())
}

fn envelope(root: &str, content: &str) -> String {
    [HEAD, root, SPACE, content, "</", root, ">", TAIL].concat()
}

/// The content of `return` for the order `n`, by the rule in contract/wstest.xsd (type PurchaseOrder).
fn purchase_order(n: u32) -> String {
    let customer = 1000 + n % 9000;
    let (mut items, mut total) = (String::new(), 0);
    for i in 1..=5 + n % 6 {
        let (quantity, cents) = (1 + (n + i) % 9, 100 + 7 * (n % 1000) + 25 * i);
        total += quantity * cents;
        let written = write!(
            items,
            "<item><lineNumber>{i}</lineNumber><sku>SKU-{:05}</sku><description>Nuts &amp; bolts, size {}</description>\
             <quantity>{quantity}</quantity><unitPrice>{}</unitPrice></item>",
            n % 10000 + 37 * i,
            1 + (n + i) % 12,
            money(cents)
        );
        debug_assert!(written.is_ok(), "a String takes every text");
    }
    format!(
        "<return><orderId>{n}</orderId><reference>PO-{n:09}</reference><orderDate>2004-{:02}-{:02}</orderDate>\
         <customer><customerId>{customer}</customerId><name>Customer {customer}</name>\
         <email>customer{customer}@example.com</email></customer>\
         <billingAddress>{}</billingAddress><shippingAddress>{}</shippingAddress>{items}<total>{}</total></return>",
        1 + n % 12,
        1 + n % 28,
        address(n),
        address(n / 10),
        money(total)
    )
}

fn address(k: u32) -> String {
    format!(
        "<street>{} Main Street</street><city>City {}</city><state>State {}</state><postalCode>{:05}</postalCode>\
         <country>US</country>",
        1 + k % 199,
        k % 100,
        k % 50,
        k % 100_000
    )
}

fn money(cents: u32) -> String {
    format!("{}.{:02}", cents / 100, cents % 100)
}

/// A request as the contract writes it.
#[cfg(test)]
pub fn request(operation: &str, content: &str) -> String {
    envelope(operation, content)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::Path;

    #[test]
    fn every_order_of_the_contract_is_answered() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract/exchanges/getOrder");
        for order in [0, 1, 59, 12345, 987654321, 999999999] {
            let asked = fs::read(folder.join(format!("order-{order}.request.xml"))).expect("the exchange");
            let wanted = fs::read_to_string(folder.join(format!("order-{order}.answer.xml"))).expect("the exchange");
            let answer = String::from_utf8(to(&asked).expect("an answer")).expect("UTF-8");
            assert_eq!(
                answer,
                wanted.replace(">\n", ">").replace("\n<", "<").trim_end(),
                "{order}"
            );
        }
    }

    #[test]
    fn what_the_contract_does_not_write_is_not_known() {
        let void = request("echoVoid", "");
        assert!(to(void.as_bytes()).is_some());
        for other in [
            &void[..void.len() / 2],
            &void.replace('"', "'"),
            &format!("{void}{void}"),
            "",
            "<a/>",
        ] {
            assert_eq!(to(other.as_bytes()), None, "{other}");
        }
    }
}
