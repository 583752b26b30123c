//! The bytes of a file as UTF-8, whatever it was stored as: gzip (RFC 1952, several members too), UTF-16 with its mark,
//! UTF-8. Invariant: nothing is held but a buffer, so a file that unpacks to a thousand times its size costs time only.

use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

/// Bytes of UTF-16 that are turned at a time.
const CHUNK: usize = 64 << 10;

type Begun<R> = Chain<Cursor<Vec<u8>>, R>;

/// The decoded input.
pub enum Decoded<R: Read> {
    Plain(Utf<Begun<R>>),
    Gzip(Box<Utf<MultiGzDecoder<BufReader<Begun<R>>>>>),
}

impl<R: Read> Decoded<R> {
    /// Looks at the first bytes. Errors: they cannot be read.
    pub fn new(mut input: R) -> io::Result<Decoded<R>> {
        let start = start(&mut input, 2)?;
        let gzip = start == [0x1F, 0x8B];
        let begun = Cursor::new(start).chain(input);
        if gzip {
            let unpacked = MultiGzDecoder::new(BufReader::with_capacity(CHUNK, begun));
            return Ok(Decoded::Gzip(Box::new(Utf::new(unpacked)?)));
        }
        Ok(Decoded::Plain(Utf::new(begun)?))
    }
}

impl<R: Read> Read for Decoded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Decoded::Plain(input) => input.read(buffer),
            Decoded::Gzip(input) => input.read(buffer),
        }
    }
}

/// UTF-8 or UTF-16, told apart by the mark at its beginning.
pub struct Utf<R> {
    input: Begun<R>,
    sixteen: Option<Sixteen>,
}

impl<R: Read> Utf<R> {
    fn new(mut input: R) -> io::Result<Utf<R>> {
        let start = start(&mut input, 2)?;
        let order = match start[..] {
            [0xFF, 0xFE] => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
            [0xFE, 0xFF] => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
            _ => None,
        };
        let kept = if order.is_some() { Vec::new() } else { start };
        let sixteen = order.map(|unit| Sixteen { unit, odd: None, high: None, ready: Vec::new(), taken: 0 });
        Ok(Utf { input: Cursor::new(kept).chain(input), sixteen })
    }
}

impl<R: Read> Read for Utf<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.sixteen {
            None => self.input.read(buffer),
            Some(sixteen) => sixteen.read(&mut self.input, buffer),
        }
    }
}

/// UTF-16 on its way to UTF-8. What is no character becomes U+FFFD.
struct Sixteen {
    unit: fn([u8; 2]) -> u16,
    /// The first byte of a unit that was cut.
    odd: Option<u8>,
    /// The first unit of a pair that was cut.
    high: Option<u16>,
    ready: Vec<u8>,
    taken: usize,
}

impl Sixteen {
    fn read(&mut self, input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
        while self.taken == self.ready.len() {
            let mut bytes = vec![0; CHUNK];
            let length = input.read(&mut bytes)?;
            if length == 0 && self.odd.is_none() && self.high.is_none() {
                return Ok(0);
            }
            self.turn(&bytes[..length], length == 0);
        }
        let length = buffer.len().min(self.ready.len() - self.taken);
        buffer[..length].copy_from_slice(&self.ready[self.taken..self.taken + length]);
        self.taken += length;
        Ok(length)
    }

    fn turn(&mut self, bytes: &[u8], last: bool) {
        let bytes: Vec<u8> = self.odd.take().into_iter().chain(bytes.iter().copied()).collect();
        let pairs = bytes.chunks_exact(2);
        let rest = pairs.remainder().first().copied();
        let mut units: Vec<u16> = self.high.take().into_iter().collect();
        units.extend(pairs.map(|pair| (self.unit)([pair[0], pair[1]])));
        if last {
            units.extend(rest.map(|_| 0xFFFD));
        } else {
            self.odd = rest;
            self.high = units.pop_if(|unit| (0xD800..0xDC00).contains(unit));
        }
        let letters = char::decode_utf16(units).map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER));
        (self.ready, self.taken) = (letters.collect::<String>().into_bytes(), 0);
    }
}

/// The first bytes, so many if there are.
fn start(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.by_ref().take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::{Compression, write::GzEncoder};

    use super::*;

    fn decoded(bytes: &[u8]) -> io::Result<String> {
        /// One byte at a time.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let length = 1.min(buffer.len());
                self.0.read(&mut buffer[..length])
            }
        }
        let (mut slow, mut fast) = (Vec::new(), Vec::new());
        Decoded::new(Slow(bytes))?.read_to_end(&mut slow)?;
        Decoded::new(bytes)?.read_to_end(&mut fast)?;
        assert_eq!(slow, fast);
        Ok(String::from_utf8(fast).unwrap())
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    #[test]
    fn every_encoding_gives_the_same_text() {
        let text = "{\"error\":\"ü 🦀\"}\nend";
        let little: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_be_bytes).collect();
        for bytes in [text.as_bytes().to_vec(), little.clone(), big, gzip(text.as_bytes()), gzip(&little)] {
            assert_eq!(decoded(&bytes).unwrap(), text);
        }
        assert_eq!(decoded(&[gzip(b"one "), gzip(b"two")].concat()).unwrap(), "one two");
        assert_eq!(decoded(b"").unwrap(), "");
        assert_eq!(decoded(b"x").unwrap(), "x");
        assert_eq!(decoded(&little[..little.len() - 1]).unwrap(), "{\"error\":\"ü 🦀\"}\nen\u{fffd}");
    }

    #[test]
    fn a_packed_file_that_is_cut_is_an_error() {
        let packed = gzip(b"some words");
        assert!(decoded(&packed[..packed.len() - 3]).is_err());
    }
}
