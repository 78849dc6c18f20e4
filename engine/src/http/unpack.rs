//! Decompresses bodies in gzip or deflate, piece by piece.

use std::io::Write;

use flate2::write::{GzDecoder, ZlibDecoder};

use super::{Coding, Malformed};

/// The longest decompressed body in bytes; a few compressed bytes can claim more.
const MOST_UNPACKED: u64 = 1 << 30;

/// The state of unpacking one body.
#[derive(Debug)]
pub struct Unpacker {
    inner: Inner,
    begun: bool,
    unpacked: u64,
}

#[derive(Debug)]
enum Inner {
    Gzip(GzDecoder<Vec<u8>>),
    Deflate(ZlibDecoder<Vec<u8>>),
}

impl Unpacker {
    /// A decompressor for this coding; None if the body is not compressed.
    pub fn new(coding: Coding) -> Option<Self> {
        let inner = match coding {
            Coding::Plain => return None,
            Coding::Gzip => Inner::Gzip(GzDecoder::new(Vec::new())),
            Coding::Deflate => Inner::Deflate(ZlibDecoder::new(Vec::new())),
        };
        Some(Self {
            inner,
            begun: false,
            unpacked: 0,
        })
    }

    /// Decompresses the next piece of the body.
    pub fn piece(&mut self, packed: &[u8]) -> Result<Vec<u8>, Malformed> {
        self.begun |= !packed.is_empty();
        let (written, out) = match &mut self.inner {
            Inner::Gzip(decoder) => (
                decoder.write_all(packed).and_then(|()| decoder.flush()),
                decoder.get_mut(),
            ),
            Inner::Deflate(decoder) => (
                decoder.write_all(packed).and_then(|()| decoder.flush()),
                decoder.get_mut(),
            ),
        };
        written.map_err(|_| Malformed("a compressed body that cannot be decompressed"))?;
        let found = std::mem::take(out);
        self.unpacked += found.len() as u64;
        if self.unpacked > MOST_UNPACKED {
            return Err(Malformed("a compressed body of more than 1 GiB"));
        }
        Ok(found)
    }

    /// The rest at the end of the body; an error if it is incomplete or its checksum is wrong. An empty body counts as not compressed.
    pub fn end(&mut self) -> Result<Vec<u8>, Malformed> {
        if !self.begun {
            return Ok(Vec::new());
        }
        let (ended, out) = match &mut self.inner {
            Inner::Gzip(decoder) => (decoder.try_finish(), decoder.get_mut()),
            Inner::Deflate(decoder) => (decoder.try_finish(), decoder.get_mut()),
        };
        ended.map_err(|_| Malformed("a compressed body without its end"))?;
        Ok(std::mem::take(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::Compression;
    use flate2::write::{GzEncoder, ZlibEncoder};

    fn packed(coding: Coding, body: &[u8]) -> Vec<u8> {
        match coding {
            Coding::Plain => body.to_vec(),
            Coding::Gzip => {
                let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
            Coding::Deflate => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                encoder.write_all(body).unwrap();
                encoder.finish().unwrap()
            }
        }
    }

    fn unpacked(coding: Coding, packed: &[u8], size: usize) -> Result<Vec<u8>, Malformed> {
        let mut unpacker = Unpacker::new(coding).unwrap();
        let mut found = Vec::new();
        for piece in packed.chunks(size) {
            found.extend(unpacker.piece(piece)?);
        }
        found.extend(unpacker.end()?);
        Ok(found)
    }

    #[test]
    fn a_body_is_the_same_however_it_is_packed_and_cut() {
        let body: Vec<u8> = (0..100_000u64).map(|n| (n * n % 251) as u8).collect();
        for coding in [Coding::Gzip, Coding::Deflate] {
            let packed = packed(coding, &body);
            for size in [1, 7, 4096, packed.len()] {
                assert_eq!(
                    unpacked(coding, &packed, size).as_ref(),
                    Ok(&body),
                    "{coding:?} in pieces of {size}"
                );
            }
        }
        assert!(Unpacker::new(Coding::Plain).is_none());
    }

    #[test]
    fn what_is_cut_short_false_or_endless_is_malformed() {
        let whole = packed(Coding::Gzip, b"some text that is packed");
        assert!(unpacked(Coding::Gzip, &whole[..whole.len() - 3], 5).is_err());
        let mut false_sum = whole.clone();
        let place = false_sum.len() - 6;
        false_sum[place] ^= 1;
        assert!(unpacked(Coding::Gzip, &false_sum, 5).is_err());
        assert!(unpacked(Coding::Deflate, b"not packed at all", 5).is_err());
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let zeroes = vec![0; 1 << 20];
        (0..1025).for_each(|_| encoder.write_all(&zeroes).unwrap());
        assert!(unpacked(Coding::Gzip, &encoder.finish().unwrap(), 16 * 1024).is_err());
    }
}
