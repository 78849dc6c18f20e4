//! Finds where a request ends; what stands in its body is of no interest to a test server.

/// How far a connection has got with the request it is reading. Bodies are counted, not kept.
#[derive(Debug, Default)]
pub struct RequestReader {
    head: Vec<u8>,
    body_left: usize,
    in_body: bool,
    close: bool,
}

/// What the bytes fed so far came to.
#[derive(Debug, PartialEq)]
pub enum Progress {
    /// A request is complete and `used` bytes of those fed belong to it; `close` if its sender wants no other.
    Complete {
        used: usize,
        close: bool,
    },
    /// The head is complete, the body is not; said once.
    Head,
    More,
    /// Not a request, or one with a head over 16 KB.
    Senseless,
}

const LONGEST_HEAD: usize = 16 * 1024;

impl RequestReader {
    /// Takes bytes as they come. After `Complete`, the rest is to be fed again as the next request's beginning.
    pub fn feed(&mut self, bytes: &[u8]) -> Progress {
        if self.in_body {
            return self.feed_body(bytes, 0);
        }
        // The usual case, one whole request in one read, copies nothing.
        if self.head.is_empty() {
            return match parse_head(bytes) {
                Ok(Some(head)) => self.begin_body(&head, bytes, head.length),
                Ok(None) => {
                    self.head.extend_from_slice(bytes);
                    Progress::More
                }
                Err(()) => Progress::Senseless,
            };
        }
        let before = self.head.len();
        self.head.extend_from_slice(bytes);
        match parse_head(&self.head) {
            Ok(Some(head)) => {
                self.head.clear();
                self.begin_body(&head, bytes, head.length - before)
            }
            Ok(None) if self.head.len() > LONGEST_HEAD => Progress::Senseless,
            Ok(None) => Progress::More,
            Err(()) => Progress::Senseless,
        }
    }

    fn begin_body(&mut self, head: &Head, bytes: &[u8], used: usize) -> Progress {
        self.body_left = head.body_length;
        self.close = head.close;
        match self.feed_body(bytes, used) {
            Progress::More => Progress::Head,
            progress => progress,
        }
    }

    fn feed_body(&mut self, bytes: &[u8], used: usize) -> Progress {
        let taken = self.body_left.min(bytes.len() - used);
        self.body_left -= taken;
        self.in_body = self.body_left > 0;
        if self.in_body {
            Progress::More
        } else {
            Progress::Complete {
                used: used + taken,
                close: self.close,
            }
        }
    }
}

struct Head {
    length: usize,
    body_length: usize,
    close: bool,
}

fn parse_head(bytes: &[u8]) -> Result<Option<Head>, ()> {
    let mut headers = [httparse::EMPTY_HEADER; 64];
    let mut request = httparse::Request::new(&mut headers);
    let length = match request.parse(bytes) {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(_) => return Err(()),
    };
    let mut head = Head {
        length,
        body_length: 0,
        close: false,
    };
    for header in request.headers.iter() {
        if header.name.eq_ignore_ascii_case("content-length") {
            let digits = std::str::from_utf8(header.value).map_err(drop)?;
            head.body_length = digits.trim().parse().map_err(drop)?;
        } else if header.name.eq_ignore_ascii_case("connection") {
            head.close = header.value.eq_ignore_ascii_case(b"close");
        }
    }
    Ok(Some(head))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST: &[u8] = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde";

    #[test]
    fn a_whole_request_is_complete_and_the_next_is_left() {
        let two = [REQUEST, b"GET"].concat();
        assert_eq!(
            RequestReader::default().feed(&two),
            Progress::Complete {
                used: REQUEST.len(),
                close: false
            }
        );
    }

    #[test]
    fn a_request_in_any_two_pieces_is_complete_with_the_second() {
        for cut in 1..REQUEST.len() {
            let mut reader = RequestReader::default();
            assert!(
                matches!(reader.feed(&REQUEST[..cut]), Progress::More | Progress::Head),
                "cut at {cut}"
            );
            let used = REQUEST.len() - cut;
            assert_eq!(
                reader.feed(&REQUEST[cut..]),
                Progress::Complete { used, close: false },
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_sender_that_wants_no_other_says_so() {
        let request = b"GET / HTTP/1.1\r\nConnection: Close\r\n\r\n";
        assert_eq!(
            RequestReader::default().feed(request),
            Progress::Complete {
                used: request.len(),
                close: true
            }
        );
    }

    #[test]
    fn garbage_is_senseless() {
        assert_eq!(
            RequestReader::default().feed(b"\x00\x01\x02\r\n\r\n"),
            Progress::Senseless
        );
    }
}
