//! How documents are carried: as XML of the message or as a string, wrapped or bare; each use case reads its own.

use quick_xml::escape::partial_escape;
use serde::Serialize;
use steelyard_soap::{Answer, Answering, Fault, Reader, Start};

use crate::{buffet, news, order};

pub const SERVICE_SPACE: &str = "urn:steelyard:soakit";
pub const MOST_DEPTH: usize = 100;

pub const PATHS: &[(&str, Answering)] = &[
    ("/soakit/TVDinner", |reader, answer| {
        in_message(&TV_DINNER, reader, answer)
    }),
    ("/soakit/SushiBoats", |reader, answer| {
        in_message(&SUSHI_BOATS, reader, answer)
    }),
    ("/soakit/Buffet", |reader, answer| in_message(&BUFFET, reader, answer)),
    ("/soakit/Text", in_text),
];

/// A use case: the element of the service's that may be around its document, and what reads the document, in front of which a
/// reader stands, to its end and gives the answer as XML.
struct UseCase {
    element: &'static str,
    answer: fn(&mut Reader<'_>) -> Result<String, Fault>,
}

const TV_DINNER: UseCase = UseCase {
    element: "tvDinner",
    answer: order::acknowledge,
};
const SUSHI_BOATS: UseCase = UseCase {
    element: "sushiBoats",
    answer: news::digest,
};
const BUFFET: UseCase = UseCase {
    element: "buffet",
    answer: buffet::validate,
};

/// Answers a document that is XML of the message, wrapped or bare.
fn in_message(use_case: &UseCase, reader: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let before = reader.clone();
    if !reader.element()?.is(SERVICE_SPACE, use_case.element) {
        *reader = before;
        answer.get_mut().extend((use_case.answer)(reader)?.bytes());
        return Ok(());
    }
    let document = (use_case.answer)(reader)?;
    reader.close()?;
    let name = use_case.element;
    let wrapped = format!(r#"<k:{name}Response xmlns:k="{SERVICE_SPACE}">{document}</k:{name}Response>"#);
    answer.get_mut().extend(wrapped.bytes());
    Ok(())
}

/// Answers a document of any use case that is a string of the message, wrapped or bare.
fn in_text(reader: &mut Reader<'_>, answer: &mut Answer) -> Result<(), Fault> {
    let message = reader.element()?;
    let asked = |end| {
        let mut use_cases = [&TV_DINNER, &SUSHI_BOATS, &BUFFET].into_iter();
        use_cases.find(|each| message.space == SERVICE_SPACE && message.name.strip_suffix(end) == Some(each.element))
    };
    let (use_case, text, part) = if let Some(use_case) = asked("BareText") {
        (use_case, reader.text()?, None)
    } else if let Some(use_case) = asked("Text") {
        let text = reader.text_of("text")?;
        reader.close()?;
        (use_case, text, Some("answer"))
    } else {
        return Err(Fault::client(format!("there is no operation {}", message.name)));
    };
    let mut inside = Reader::new(&text, SERVICE_SPACE, MOST_DEPTH);
    let document = (use_case.answer)(&mut inside)?;
    inside.close()?;
    let mut written = partial_escape(&document).into_owned();
    if let Some(part) = part {
        written = format!("<{part}>{written}</{part}>");
    }
    let name = format!("{}Response", message.name);
    answer
        .get_mut()
        .extend(format!(r#"<{name} xmlns="{SERVICE_SPACE}">{written}</{name}>"#).bytes());
    Ok(())
}

/// Opens the document that is due.
pub fn enter<'m>(reader: &mut Reader<'m>, space: &str, name: &str) -> Result<Start<'m>, Fault> {
    let start = reader.element()?;
    if start.is(space, name) {
        Ok(start)
    } else {
        Err(Fault::client(format!("a {name} is due")))
    }
}

/// An answer as XML. serde writes a carriage return as it stands, which would come back as a line feed.
pub fn written(answer: &impl Serialize) -> Result<String, Fault> {
    let text = quick_xml::se::to_string(answer).map_err(|error| Fault::server(error.to_string()))?;
    Ok(if text.contains('\r') {
        text.replace('\r', "&#13;")
    } else {
        text
    })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use serde_json::Value;

    use super::*;
    use crate::SERVICE;

    /// Files of a folder of the contract whose names end so, with what they hold.
    fn files(folder: &str, end: &str) -> Vec<(PathBuf, String)> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract").join(folder);
        let entries = fs::read_dir(&folder).expect("the contract has the folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let wanted: Vec<_> = paths.filter(|path| path.to_string_lossy().ends_with(end)).collect();
        assert!(!wanted.is_empty(), "{} holds none of {end}", folder.display());
        let read = |path: PathBuf| fs::read_to_string(&path).map(|text| (path, text));
        wanted.into_iter().map(|path| read(path).expect("a text")).collect()
    }

    fn ask(path: &str, message: &str) -> Result<String, Fault> {
        let (_, answering) = PATHS.iter().find(|each| each.0 == path).expect("the path is served");
        steelyard_soap::answer(message, &SERVICE, *answering).map(|answer| String::from_utf8(answer).expect("UTF-8"))
    }

    /// The elements of a document in order, with their namespaces and texts: numbers and documents by their values.
    fn values(document: &str) -> Vec<String> {
        let tree = roxmltree::Document::parse(document).expect("well-formed");
        let elements = tree.descendants().filter(|node| node.is_element());
        let told = elements.flat_map(|node| {
            let name = format!("{:?}", node.tag_name());
            let pieces = node
                .children()
                .filter(|each| each.is_text())
                .filter_map(|piece| piece.text());
            let text: String = pieces.collect();
            if text.starts_with('<') {
                return [vec![name], values(&text)].concat();
            }
            let number = text.trim().parse::<f64>().map(|number| number.to_string());
            vec![name, number.unwrap_or(text)]
        });
        told.collect()
    }

    const USE_CASES: [(&str, &str); 3] = [
        ("tv-dinner", "/soakit/TVDinner"),
        ("sushi-boats", "/soakit/SushiBoats"),
        ("buffet", "/soakit/Buffet"),
    ];

    #[test]
    fn documents_that_are_xml_are_answered() {
        for (folder, path) in USE_CASES {
            for (file, request) in files(&format!("exchanges/{folder}"), ".request.xml") {
                let wanted = file.to_string_lossy().replace(".request.", ".answer.");
                let answer = ask(path, &request).unwrap_or_else(|fault| panic!("{}: {fault:?}", file.display()));
                let wanted = fs::read_to_string(wanted).expect("each request has its answer");
                assert_eq!(values(&answer), values(&wanted), "{}", file.display());
            }
        }
    }

    #[test]
    fn documents_that_are_strings_are_answered_and_what_is_no_document_is_refused() {
        for (folder, path) in USE_CASES {
            let carried = files(&format!("exchanges/{folder}"), ".exchange.json").into_iter();
            // rpc/literal is not taken (../README.md).
            for (file, exchange) in carried.filter(|(file, _)| !file.to_string_lossy().contains("rpc")) {
                let exchange: Value = serde_json::from_str(&exchange).expect("JSON");
                let text = |name: &str| exchange[name].as_str();
                let answer = ask(text("path").unwrap_or(path), text("request").expect("a request"));
                if exchange["fault"].as_bool() == Some(true) {
                    assert!(answer.is_err(), "{}: {answer:?}", file.display());
                    continue;
                }
                let answer = answer.unwrap_or_else(|fault| panic!("{}: {fault:?}", file.display()));
                assert_eq!(
                    values(&answer),
                    values(text("answer").expect("an answer")),
                    "{}",
                    file.display()
                );
            }
        }
    }

    #[test]
    fn bad_documents_are_refused() {
        for (file, request) in files("bad", ".request.xml") {
            assert!(ask("/soakit/TVDinner", &request).is_err(), "{}", file.display());
        }
        for text in [
            "",
            " ",
            "hello",
            "<any/>",
            "<ProcessPurchaseOrder xmlns='urn:steelyard:soakit:order'>",
        ] {
            let text = partial_escape(text);
            for element in ["tvDinner", "sushiBoats", "buffet"] {
                let message = format!(
                    r#"<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body><{element}BareText
                    xmlns="{SERVICE_SPACE}">{text}</{element}BareText></s:Body></s:Envelope>"#
                );
                assert!(ask("/soakit/Text", &message).is_err(), "{message}");
            }
        }
    }

    #[test]
    fn carriage_returns_come_back_as_such() {
        let (_, request) = files("exchanges/buffet", "wrapped.request.xml").remove(0);
        let begin = request.find("Customer>").expect("a customer") + "Customer>".len();
        let end = begin + request[begin..].find('<').expect("its end");
        let request = format!("{}a&#13;b{}", &request[..begin], &request[end..]);
        let answer = ask("/soakit/Buffet", &request).expect("answered");
        assert!(answer.contains("<Customer>a&#13;b</Customer>"), "{answer}");
    }
}
