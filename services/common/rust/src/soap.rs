//! SOAP 1.1: from a message to its answer, or to a fault.

use quick_xml::Writer;
use quick_xml::escape::partial_escape;

use crate::{Reader, Service, Start};

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

/// What an answer is written to, behind the begin of its envelope.
pub type Answer = Writer<Vec<u8>>;

/// Reads what a SOAP body holds to its end, and writes what the answer's body holds.
pub type Answering = fn(&mut Reader<'_>, &mut Answer) -> Result<(), Fault>;

/// The answering envelope.
pub fn answer(message: &str, service: &Service, answering: Answering) -> Result<Vec<u8>, Fault> {
    let mut reader = Reader::new(message, service.namespace, service.most_depth);
    enter(&mut reader)?;
    let mut writer = Writer::new(Vec::with_capacity(HEAD.len() + message.len() + TAIL.len()));
    writer.get_mut().extend_from_slice(HEAD.as_bytes());
    answering(&mut reader, &mut writer)?;
    for _ in ["Body", "Envelope", "the message"] {
        reader.close()?;
    }
    let mut answer = writer.into_inner();
    answer.extend_from_slice(TAIL.as_bytes());
    Ok(answer)
}

/// Opens the envelope and its body.
fn enter(reader: &mut Reader<'_>) -> Result<(), Fault> {
    match reader.child()? {
        Some(start) if start.is(ENVELOPE_SPACE, "Envelope") => {}
        Some(_) => {
            return Err(Fault {
                code: "VersionMismatch",
                reason: "not a SOAP 1.1 envelope".into(),
            });
        }
        None => return Err(Fault::client("an empty message")),
    }
    let mut part = reader.child()?;
    if part.as_ref().is_some_and(|start| start.is(ENVELOPE_SPACE, "Header")) {
        while let Some(entry) = reader.child()? {
            refuse_demand(reader, &entry)?;
            reader.skip()?;
        }
        part = reader.child()?;
    }
    match part {
        Some(start) if start.is(ENVELOPE_SPACE, "Body") => Ok(()),
        _ => Err(Fault::client("the envelope has no body where it should be")),
    }
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

    const SERVICE: Service = Service {
        name: "echo",
        namespace: "urn:echo",
        counter: "/count",
        paths: &[("/echo", echo)],
        most_depth: 6,
    };
    const GOOD: &str = concat!(
        r#"<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>"#,
        r#"<echo xmlns="urn:echo"><text>a &amp; <![CDATA[<b>]]>&#33;</text></echo></s:Body></s:Envelope>"#
    );

    fn echo(reader: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
        reader.required("echo")?;
        let text = reader.text_of("text")?;
        reader.close()?;
        answer.get_mut().extend_from_slice(text.as_bytes());
        Ok(())
    }

    #[test]
    fn a_message_is_answered() {
        let answer = answer(GOOD, &SERVICE, echo).expect("a good message");
        assert_eq!(
            String::from_utf8(answer).expect("UTF-8"),
            format!("{HEAD}a & <b>!{TAIL}")
        );
    }

    #[test]
    fn what_is_wrong_is_refused() {
        let headed = |entry: &str| GOOD.replace("<s:Body>", &format!("<s:Header>{entry}</s:Header><s:Body>"));
        let deep = format!("{}{}", "<a>".repeat(5), "</a>".repeat(5));
        assert!(
            answer(&headed("<a/>"), &SERVICE, echo).is_ok(),
            "a header that demands nothing"
        );
        for bad in [
            "".to_owned(),
            "hello".to_owned(),
            "<a/>".to_owned(),
            GOOD[..GOOD.len() / 2].to_owned(),
            format!("{GOOD}<a/>"),
            GOOD.replace("urn:echo", "urn:somebody:else"),
            GOOD.replace("&amp;", "&one;"),
            GOOD.replace("?>", "?><!DOCTYPE any>"),
            headed(r#"<a s:mustUnderstand="1"/>"#),
            headed(&deep),
            headed("&one;"),
            headed("<a>&one;</a>"),
        ] {
            assert!(answer(&bad, &SERVICE, echo).is_err(), "{bad}");
        }
    }
}
