//! SOAP 1.1: from a message to its answer, or to a fault.

use quick_xml::Writer;
use quick_xml::escape::partial_escape;

use crate::operations;
use crate::reader::{Reader, SERVICE_SPACE, Start};

const ENVELOPE_SPACE: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const NEXT_ACTOR: &str = "http://schemas.xmlsoap.org/soap/actor/next";
const HEAD: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    r#"<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>"#
);
const TAIL: &str = "</soap:Body></soap:Envelope>";

/// Why a request was refused: SOAP's code, and a reason for people.
#[derive(Debug)]
pub struct Fault {
    code: &'static str,
    reason: String,
}

impl Fault {
    pub fn client(reason: impl Into<String>) -> Self {
        Self {
            code: "Client",
            reason: reason.into(),
        }
    }

    pub fn server(reason: impl Into<String>) -> Self {
        Self {
            code: "Server",
            reason: reason.into(),
        }
    }

    pub fn envelope(&self) -> Vec<u8> {
        let reason = partial_escape(&self.reason);
        let fault = format!(
            "<soap:Fault><faultcode>soap:{}</faultcode><faultstring>{reason}</faultstring></soap:Fault>",
            self.code
        );
        [HEAD, &fault, TAIL].concat().into_bytes()
    }
}

impl From<quick_xml::Error> for Fault {
    fn from(error: quick_xml::Error) -> Self {
        Self::client(error.to_string())
    }
}

/// The answering envelope.
pub fn answer(message: &str) -> Result<Vec<u8>, Fault> {
    let mut reader = Reader::new(message);
    let operation = enter(&mut reader)?;
    if operation.space != SERVICE_SPACE {
        return Err(Fault::client(format!(
            "namespace {:?} is not served here",
            operation.space
        )));
    }
    let Some(run) = operations::named(&operation.name) else {
        return Err(Fault::client(format!("there is no operation {}", operation.name)));
    };
    let mut writer = Writer::new(Vec::with_capacity(HEAD.len() + message.len() + TAIL.len()));
    writer.get_mut().extend_from_slice(HEAD.as_bytes());
    run(&mut reader, &mut writer)?;
    for _ in ["Body", "Envelope", "the message"] {
        reader.close()?;
    }
    let mut answer = writer.into_inner();
    answer.extend_from_slice(TAIL.as_bytes());
    Ok(answer)
}

/// Opens the envelope, its body and the operation's element in it.
fn enter<'m>(reader: &mut Reader<'m>) -> Result<Start<'m>, Fault> {
    match reader.child()? {
        Some(start) if is_soap(&start, "Envelope") => {}
        Some(_) => {
            return Err(Fault {
                code: "VersionMismatch",
                reason: "not a SOAP 1.1 envelope".into(),
            });
        }
        None => return Err(Fault::client("an empty message")),
    }
    let mut part = reader.child()?;
    if part.as_ref().is_some_and(|start| is_soap(start, "Header")) {
        while let Some(entry) = reader.child()? {
            refuse_demand(reader, &entry)?;
            reader.skip()?;
        }
        part = reader.child()?;
    }
    match part {
        Some(start) if is_soap(&start, "Body") => {}
        _ => return Err(Fault::client("the envelope has no body where it should be")),
    }
    reader.child()?.ok_or_else(|| Fault::client("the body is empty"))
}

fn is_soap(start: &Start<'_>, name: &str) -> bool {
    start.space == ENVELOPE_SPACE && start.name == name
}

/// No header entry is understood here, so none that is for us may demand to be.
fn refuse_demand(reader: &Reader<'_>, entry: &Start<'_>) -> Result<(), Fault> {
    let (mut must, mut for_us) = (false, true);
    for attribute in entry.tag.attributes().flatten() {
        match reader.attribute_name(attribute.key) {
            Some((space, name)) if space == ENVELOPE_SPACE && name == "mustUnderstand" => {
                must = &*attribute.value == b"1"
            }
            Some((space, name)) if space == ENVELOPE_SPACE && name == "actor" => {
                for_us = attribute.value.is_empty() || &*attribute.value == NEXT_ACTOR.as_bytes();
            }
            _ => {}
        }
    }
    if must && for_us {
        return Err(Fault {
            code: "MustUnderstand",
            reason: format!("header {} is not understood", entry.name),
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn exchange(name: &str) -> String {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../contract/exchanges")
            .join(name);
        std::fs::read_to_string(path).expect("the contract has the exchange")
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
