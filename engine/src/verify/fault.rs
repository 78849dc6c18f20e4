//! Detects SOAP faults: the first element inside the envelope's Body is named Fault.

/// Scans a body piece by piece and stores only its state. It skips zero bytes, so that it also reads UTF-16 answers, whose markup is
/// ASCII. A body that is not XML has no fault.
#[derive(Debug, Clone)]
pub struct FaultScan {
    place: Place,
    /// The current local name, as far as it is needed.
    name: [u8; 8],
    length: u8,
    in_body: bool,
    verdict: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Text,
    Opened,
    Name,
    Tag,
    Quoted(u8),
    Closing,
    Instruction,
    /// `<!`, then a comment, a CDATA section or a declaration by what follows.
    Bang(u8),
    Comment(u8),
    Cdata(u8),
}

impl Default for FaultScan {
    fn default() -> Self {
        Self {
            place: Place::Text,
            name: [0; 8],
            length: 0,
            in_body: false,
            verdict: None,
        }
    }
}

impl FaultScan {
    /// Whether a fault was found so far.
    pub fn is_fault(&self) -> bool {
        self.verdict == Some(true)
    }

    /// Reads the next piece of the body.
    #[inline]
    pub fn feed(&mut self, mut piece: &[u8]) {
        while self.verdict.is_none() {
            // Long stretches without meaning are jumped over.
            let skip = match self.place {
                Place::Text => memchr::memchr(b'<', piece),
                Place::Tag => memchr::memchr3(b'>', b'"', b'\'', piece),
                Place::Quoted(quote) => memchr::memchr(quote, piece),
                Place::Closing | Place::Instruction => memchr::memchr(b'>', piece),
                _ => Some(0),
            };
            let Some(&byte) = skip.and_then(|at| piece.get(at)) else {
                return;
            };
            piece = &piece[skip.unwrap_or_default() + 1..];
            if byte != 0 {
                self.place = self.step(byte);
            }
        }
    }

    fn step(&mut self, byte: u8) -> Place {
        match (self.place, byte) {
            (Place::Text, _) => Place::Opened,
            (Place::Opened, b'/') => {
                // The Body ended before an element began in it.
                if self.in_body {
                    self.verdict = Some(false);
                }
                Place::Closing
            }
            (Place::Opened, b'?') => Place::Instruction,
            (Place::Opened, b'!') => Place::Bang(0),
            (Place::Opened, _) => {
                self.length = 0;
                self.name_byte(byte);
                Place::Name
            }
            (Place::Name, b':') => {
                self.length = 0;
                Place::Name
            }
            (Place::Name, b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n') => {
                self.end_name();
                if byte == b'>' { Place::Text } else { Place::Tag }
            }
            (Place::Name, _) => {
                self.name_byte(byte);
                Place::Name
            }
            (Place::Tag, b'>') => Place::Text,
            (Place::Tag, quote) => Place::Quoted(quote),
            (Place::Quoted(_), _) => Place::Tag,
            (Place::Closing | Place::Instruction, _) => Place::Text,
            (Place::Bang(0), b'-') => Place::Bang(b'-'),
            (Place::Bang(0), b'[') => Place::Cdata(0),
            (Place::Bang(b'-'), b'-') => Place::Comment(0),
            (Place::Bang(_), b'>') => Place::Text,
            (Place::Bang(_), _) => Place::Bang(1),
            (Place::Comment(2), b'>') => Place::Text,
            (Place::Comment(dashes), b'-') => Place::Comment((dashes + 1).min(2)),
            (Place::Comment(_), _) => Place::Comment(0),
            (Place::Cdata(2), b'>') => Place::Text,
            (Place::Cdata(brackets), b']') => Place::Cdata((brackets + 1).min(2)),
            (Place::Cdata(_), _) => Place::Cdata(0),
        }
    }

    fn name_byte(&mut self, byte: u8) {
        if let Some(place) = self.name.get_mut(usize::from(self.length)) {
            *place = byte;
        }
        self.length = self.length.saturating_add(1);
    }

    fn end_name(&mut self) {
        let name = self.name.get(..usize::from(self.length)).unwrap_or_default();
        if self.in_body {
            self.verdict = Some(name == b"Fault");
        } else if name == b"Body" {
            self.in_body = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(pieces: &[&[u8]]) -> bool {
        let mut scan = FaultScan::default();
        pieces.iter().for_each(|piece| scan.feed(piece));
        scan.is_fault()
    }

    const FAULT: &str = "<?xml version='1.0'?><!-- <s:Body><Fault> --><s:Envelope xmlns:s=\"http://x/a>b\"><s:Header/>\n\
        <s:Body id='>'>\n<!-- - -- x --><s:Fault a='1'><faultcode>s:Server</faultcode></s:Fault></s:Body></s:Envelope>";

    #[test]
    fn a_fault_is_the_first_element_in_the_body_however_it_is_cut() {
        assert!(scan(&[FAULT.as_bytes()]));
        for cut in 0..FAULT.len() {
            assert!(
                scan(&[&FAULT.as_bytes()[..cut], &FAULT.as_bytes()[cut..]]),
                "cut at {cut}"
            );
        }
        let bytes: Vec<&[u8]> = FAULT.as_bytes().chunks(1).collect();
        assert!(scan(&bytes));
    }

    #[test]
    fn a_fault_in_utf_16_is_found() {
        let wide: Vec<u8> = FAULT.encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert!(scan(&[&wide]));
    }

    #[test]
    fn the_word_fault_elsewhere_is_no_fault() {
        for text in [
            "<Envelope><Body><echo><Fault/></echo></Body></Envelope>",
            "<Envelope><Body><FaultList/></Body></Envelope>",
            "<Envelope><Body><![CDATA[<Fault>]]><ok/></Body></Envelope>",
            "<Envelope><Header><Fault/></Header><Body/></Envelope><Fault/>",
            "<Envelope><Body></Body></Envelope><Fault>",
            "{\"Fault\": true}",
            "<html><body><Fault/></body></html>",
            "",
        ] {
            assert!(!scan(&[text.as_bytes()]), "{text}");
        }
    }
}
