//! A pull reader of one SOAP message: elements in order, and the texts in them. quick-xml does the syntax.

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

use crate::Fault;

/// A start tag: its namespace, its local name, all of it, and the byte of the message at which it stands.
pub struct Start<'m> {
    pub space: String,
    pub name: String,
    pub tag: BytesStart<'m>,
    pub at: usize,
}

impl Start<'_> {
    pub fn is(&self, space: &str, name: &str) -> bool {
        self.space == space && self.name == name
    }
}

#[derive(Clone)]
pub struct Reader<'m> {
    inner: NsReader<&'m [u8]>,
    message: &'m str,
    space: &'static str,
    most_depth: usize,
    open: usize,
}

impl<'m> Reader<'m> {
    /// Reads a message of the service whose elements are in the namespace `space`, and nest no deeper than `most_depth`.
    pub fn new(message: &'m str, space: &'static str, most_depth: usize) -> Self {
        let mut inner = NsReader::from_str(message);
        inner.config_mut().expand_empty_elements = true;
        inner.config_mut().check_comments = true;
        Self {
            inner,
            message,
            space,
            most_depth,
            open: 0,
        }
    }

    /// All of the message.
    pub fn message(&self) -> &'m str {
        self.message
    }

    /// quick-xml's own reader, which stands where this one does and reads on by itself, unbounded.
    pub fn ahead(&self) -> NsReader<&'m [u8]> {
        self.inner.clone()
    }

    /// The next child of the open element, now open itself; None where the open element, or the message, ends.
    pub fn child(&mut self) -> Result<Option<Start<'m>>, Fault> {
        loop {
            let at = self.inner.buffer_position() as usize;
            match self.inner.read_event()? {
                Event::Start(tag) => return self.opened(tag, at).map(Some),
                Event::End(_) => {
                    self.open -= 1;
                    return Ok(None);
                }
                Event::Eof if self.open == 0 => return Ok(None),
                Event::Text(text) if text.iter().all(u8::is_ascii_whitespace) => {}
                Event::Comment(_) | Event::PI(_) | Event::Decl(_) => {}
                other => return Err(misplaced(&other)),
            }
        }
    }

    /// Opens the next child, of which there must be one.
    pub fn element(&mut self) -> Result<Start<'m>, Fault> {
        self.child()?.ok_or_else(|| Fault::client("an element is missing"))
    }

    /// Opens the next child, which can only be the service's element `name`: true; false where the open element has ended.
    pub fn optional(&mut self, name: &str) -> Result<bool, Fault> {
        match self.child()? {
            Some(start) if start.is(self.space, name) => Ok(true),
            Some(start) => Err(Fault::client(format!(
                "element {} where {name} was expected",
                start.name
            ))),
            None => Ok(false),
        }
    }

    /// Opens the next child, which must be the service's element `name`.
    pub fn required(&mut self, name: &str) -> Result<(), Fault> {
        if self.optional(name)? {
            Ok(())
        } else {
            Err(Fault::client(format!("element {name} is missing")))
        }
    }

    /// Closes the open element, which must have no more children.
    pub fn close(&mut self) -> Result<(), Fault> {
        match self.child()? {
            Some(start) => Err(Fault::client(format!("element {} is one too many", start.name))),
            None => Ok(()),
        }
    }

    /// The text of the required child `name`.
    pub fn text_of(&mut self, name: &str) -> Result<String, Fault> {
        self.required(name)?;
        self.text()
    }

    /// The text of the open element, which holds nothing else, and is closed then.
    pub fn text(&mut self) -> Result<String, Fault> {
        let mut text = String::new();
        loop {
            match self.inner.read_event()? {
                Event::Text(piece) => text.push_str(&piece.xml10_content().map_err(quick_xml::Error::from)?),
                Event::CData(piece) => text.push_str(&piece.xml10_content().map_err(quick_xml::Error::from)?),
                Event::GeneralRef(reference) => match reference.resolve_char_ref()? {
                    Some(character) => text.push(character),
                    None => text.push_str(predefined(&reference)?),
                },
                Event::End(_) => {
                    self.open -= 1;
                    return Ok(text);
                }
                Event::Comment(_) | Event::PI(_) => {}
                other => return Err(misplaced(&other)),
            }
        }
    }

    /// Skips all that is left of the open element, and closes it.
    pub fn skip(&mut self) -> Result<(), Fault> {
        let outside = self.open - 1;
        while self.open > outside {
            match self.inner.read_event()? {
                Event::Start(tag) => drop(self.opened(tag, 0)?),
                Event::End(_) => self.open -= 1,
                Event::GeneralRef(reference) if reference.resolve_char_ref()?.is_none() => {
                    predefined(&reference)?;
                }
                other @ (Event::Eof | Event::DocType(_)) => return Err(misplaced(&other)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The namespace (empty: none) and the local name of an attribute of an open element; None where its prefix is not bound.
    pub fn attribute_name(&self, name: quick_xml::name::QName<'_>) -> Option<(String, String)> {
        match self.inner.resolve_attribute(name) {
            (ResolveResult::Bound(space), local) => Some((text(space.as_ref()), text(local.as_ref()))),
            (ResolveResult::Unbound, local) => Some((String::new(), text(local.as_ref()))),
            (ResolveResult::Unknown(_), _) => None,
        }
    }

    fn opened(&mut self, tag: BytesStart<'m>, at: usize) -> Result<Start<'m>, Fault> {
        self.open += 1;
        if self.open > self.most_depth {
            return Err(Fault::client(format!(
                "elements nest more than {} deep",
                self.most_depth
            )));
        }
        let (space, name) = match self.inner.resolve_element(tag.name()) {
            (ResolveResult::Bound(space), local) => (text(space.as_ref()), text(local.as_ref())),
            (ResolveResult::Unbound, local) => (String::new(), text(local.as_ref())),
            (ResolveResult::Unknown(prefix), _) => {
                return Err(Fault::client(format!("prefix {} is not bound", text(&prefix))));
            }
        };
        for attribute in tag.attributes() {
            attribute.map_err(quick_xml::Error::from)?; // well-formed, and none twice
        }
        Ok(Start { space, name, tag, at })
    }
}

fn predefined(name: &[u8]) -> Result<&'static str, Fault> {
    let name = text(name);
    resolve_predefined_entity(&name).ok_or_else(|| Fault::client(format!("entity {name} is not known")))
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn misplaced(event: &Event<'_>) -> Fault {
    Fault::client(match event {
        Event::Eof => "the message ends too early",
        Event::DocType(_) => "a document type declaration has no place in a SOAP message",
        Event::Start(_) => "an element where only text is allowed",
        _ => "text where only elements are allowed",
    })
}
