//! The operations: each reads its request's element, which is open, to its end and writes the answer's.

use std::io;

use quick_xml::escape::partial_escape;
use quick_xml::events::BytesText;
use steelyard_soap::{Answer, Answering, Fault, Reader};

use crate::{order, values};

pub const SERVICE_SPACE: &str = "urn:steelyard:wstest";

/// Answers the operation whose element stands in the body.
pub fn answer(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let operation = request.element()?;
    match named(&operation.name) {
        Some(run) if operation.space == SERVICE_SPACE => run(request, answer),
        _ => Err(Fault::client(format!(
            "there is no operation {} of {:?}",
            operation.name, operation.space
        ))),
    }
}

/// The operation whose request is the element `name`.
fn named(name: &str) -> Option<Answering> {
    match name {
        "echoVoid" => Some(echo_void),
        "echoStruct" => Some(echo_struct),
        "echoList" => Some(echo_list),
        "echoSynthetic" => Some(echo_synthetic),
        "getOrder" => Some(get_order),
        _ => None,
    }
}

struct Struct {
    int: i32,
    float: f32,
    string: String,
}

fn echo_void(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    request.close()?;
    answered(answer, "echoVoidResponse", |_| Ok(()))
}

fn echo_struct(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let mut structs = Vec::new();
    while request.optional("struct")? {
        structs.push(read_struct(request)?);
    }
    answered(answer, "echoStructResponse", |answer| {
        structs.iter().try_for_each(|one| write_struct(answer, "return", one))
    })
}

fn echo_list(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let mut values = Vec::new(); // nesting in the message only: the list itself is flat
    let mut open = 0;
    let mut name = "list";
    while request.optional(name)? {
        open += 1;
        request.required("value")?;
        values.push(read_struct(request)?);
        name = "next";
    }
    for _ in 0..open {
        request.close()?;
    }
    answered(answer, "echoListResponse", |answer| {
        write_list(answer, "return", &values)
    })
}

fn echo_synthetic(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let text = request.text_of("text")?;
    request.required("struct")?;
    let one = read_struct(request)?;
    let bytes = values::bytes(&request.text_of("bytes")?)?;
    request.close()?;
    answered(answer, "echoSyntheticResponse", |answer| {
        element(answer, "return", |answer| {
            leaf(answer, "text", &text)?;
            write_struct(answer, "struct", &one)?;
            leaf(answer, "bytes", &values::bytes_text(&bytes))
        })
    })
}

fn get_order(request: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let id = values::int(&request.text_of("orderId")?)?;
    request.close()?;
    answered(answer, "getOrderResponse", |answer| {
        order::write(answer, &order::of(id))
    })
}

fn read_struct(request: &mut Reader<'_>) -> Result<Struct, Fault> {
    let int = values::int(&request.text_of("varInt")?)?;
    let float = values::float(&request.text_of("varFloat")?)?;
    let string = request.text_of("varString")?;
    request.close()?;
    Ok(Struct { int, float, string })
}

fn write_struct(answer: &mut Answer, name: &str, one: &Struct) -> io::Result<()> {
    element(answer, name, |answer| {
        leaf(answer, "varInt", &one.int.to_string())?;
        leaf(answer, "varFloat", &values::float_text(one.float))?;
        leaf(answer, "varString", &one.string)
    })
}

fn write_list(answer: &mut Answer, name: &str, values: &[Struct]) -> io::Result<()> {
    let Some((first, rest)) = values.split_first() else {
        return Ok(());
    };
    element(answer, name, |answer| {
        write_struct(answer, "value", first)?;
        write_list(answer, "next", rest)
    })
}

fn answered(answer: &mut Answer, name: &str, content: impl FnOnce(&mut Answer) -> io::Result<()>) -> Result<(), Fault> {
    let root = answer.create_element(name).with_attribute(("xmlns", SERVICE_SPACE));
    root.write_inner_content(content)
        .map(|_| ())
        .map_err(|error| Fault::server(error.to_string()))
}

/// An element with content of its own.
pub fn element(answer: &mut Answer, name: &str, content: impl FnOnce(&mut Answer) -> io::Result<()>) -> io::Result<()> {
    answer.create_element(name).write_inner_content(content).map(|_| ())
}

/// An element with text; a carriage return survives only as a character reference.
pub fn leaf(answer: &mut Answer, name: &str, text: &str) -> io::Result<()> {
    let escaped = partial_escape(text);
    let escaped = if escaped.contains('\r') {
        escaped.replace('\r', "&#13;").into()
    } else {
        escaped
    };
    answer
        .create_element(name)
        .write_text_content(BytesText::from_escaped(escaped))
        .map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SERVICE;
    use std::path::Path;

    fn exchange(name: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../contract/exchanges")
            .join(name);
        std::fs::read_to_string(path).expect("the contract has the exchange")
    }

    fn answer(message: &str) -> Result<Vec<u8>, Fault> {
        steelyard_soap::answer(message, &SERVICE, super::answer)
    }

    fn without_space_between_elements(xml: &str) -> String {
        xml.replace(">\n", ">").replace("\n<", "<")
    }

    #[test]
    fn exchanges_are_answered() {
        for name in [
            "echoVoid/void",
            "echoStruct/three",
            "echoList/twenty",
            "echoSynthetic/small",
            "getOrder/order-12345",
        ] {
            let answer = answer(&exchange(&format!("{name}.request.xml"))).expect(name);
            let wanted = exchange(&format!("{name}.answer.xml"));
            let answer = String::from_utf8(answer).expect("UTF-8");
            assert_eq!(
                without_space_between_elements(&answer),
                without_space_between_elements(&wanted),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let one = exchange("echoStruct/one.request.xml");
        let void = exchange("echoVoid/void.request.xml");
        for bad in [
            "".to_owned(),
            "hello".to_owned(),
            "<a/>".to_owned(),
            one[..one.len() / 2].to_owned(),
            format!("{void}<a/>"),
            void.replace("echoVoid", "echoNothing"),
            void.replace(SERVICE_SPACE, "urn:somebody:else"),
            one.replace("<varInt>1<", "<varInt>one<"),
            one.replace("<varInt>1<", "<varInt>2147483648<"),
            one.replace("<varFloat>1.5<", "<varFloat>inf<"),
            one.replace("<varInt>1<", "<varInt>&one;<"),
            void.replace("?>", "?><!DOCTYPE any>"),
            void.replace(
                "<soap:Body>",
                r#"<soap:Header><h:a xmlns:h="urn:h" soap:mustUnderstand="1"/></soap:Header><soap:Body>"#,
            ),
        ] {
            assert!(answer(&bad).is_err(), "{bad}");
        }
    }
}
