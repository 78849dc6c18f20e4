//! The bytes that test servers send.

/// A SOAP envelope of 165 bytes: what `null` answers, and what nginx answers in `make bench`.
pub const ENVELOPE: &str = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
    <echoVoidResponse xmlns=\"urn:steelyard:null-service:1\"/></soap:Body></soap:Envelope>";
const _: () = assert!(ENVELOPE.len() == 165);

/// An envelope that claims success and says something else.
pub const WRONG_ENVELOPE: &str = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
    <somethingElse xmlns=\"urn:steelyard:null-service:1\"/></soap:Body></soap:Envelope>";

/// A SOAP 1.1 fault.
pub const FAULT: &str = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
    <soap:Fault><faultcode>soap:Server</faultcode><faultstring>asked for</faultstring></soap:Fault>\
    </soap:Body></soap:Envelope>";

/// Digits of an instant in a stamped answer: enough for any CLOCK_MONOTONIC in ns.
const STAMP_DIGITS: usize = 20;

/// A whole answer of HTTP/1.1 with a body of known length.
pub fn whole(status: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: text/xml; charset=utf-8\r\nContent-Length: {length}\r\n\r\n{body}")
        .into()
}

/// The right answer.
pub fn right() -> Vec<u8> {
    whole("200 OK", ENVELOPE)
}

/// The answer of a limiter that has no token left.
pub fn refusal() -> Vec<u8> {
    whole("429 Too Many Requests", "")
}

/// An answer that tells when its request was read and when it was written, in headers and in its body.
///
/// Instants are CLOCK_MONOTONIC in ns, 20 digits with leading zeros, so that stamping is overwriting.
pub struct Stamped {
    bytes: Vec<u8>,
    read_at: [usize; 2],
    write_at: [usize; 2],
}

impl Stamped {
    pub fn new() -> Self {
        let body = "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\"><soap:Body>\
            <instants read-ns=\"RRRRRRRRRRRRRRRRRRRR\" write-ns=\"WWWWWWWWWWWWWWWWWWWW\"/>\
            </soap:Body></soap:Envelope>";
        let text = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/xml; charset=utf-8\r\nRead-Ns: RRRRRRRRRRRRRRRRRRRR\r\n\
             Write-Ns: WWWWWWWWWWWWWWWWWWWW\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let places = |letter: &str| {
            let run = letter.repeat(STAMP_DIGITS);
            [text.find(&run).unwrap_or(0), text.rfind(&run).unwrap_or(0)]
        };
        Self {
            read_at: places("R"),
            write_at: places("W"),
            bytes: text.into_bytes(),
        }
    }

    /// The answer to a request read at `read_ns` and about to be written at `write_ns`.
    pub fn fill(&mut self, read_ns: u64, write_ns: u64) -> &[u8] {
        for (places, instant) in [(self.read_at, read_ns), (self.write_at, write_ns)] {
            for place in places {
                write_digits(&mut self.bytes[place..place + STAMP_DIGITS], instant);
            }
        }
        &self.bytes
    }
}

fn write_digits(place: &mut [u8], mut number: u64) {
    for digit in place.iter_mut().rev() {
        // A remainder of 10 fits a byte.
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamped_answer_tells_its_instants_twice_and_its_length_right() {
        let mut stamped = Stamped::new();
        let text = String::from_utf8(stamped.fill(7, u64::MAX).to_vec()).unwrap();
        assert_eq!(text.matches("00000000000000000007").count(), 2);
        assert_eq!(text.matches("18446744073709551615").count(), 2);
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        assert!(head.ends_with(&format!("Content-Length: {}", body.len())));
    }
}
