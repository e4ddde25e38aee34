//! Bytes to text: UTF-8 with or without a byte-order mark, UTF-16 with one, and the encodings of
//! old files, Latin-1 (as Windows-1252) and MacRoman.

use encoding_rs::{MACINTOSH, WINDOWS_1252};

/// Encodings of a file's bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Encoding {
    /// UTF-8, with or without a byte-order mark.
    Utf8,
    /// UTF-16 with a byte-order mark.
    Utf16,
    /// ISO 8859-1, with the printable characters that Windows-1252 adds.
    Latin1,
    /// The encoding of old Macintosh systems.
    MacRoman,
    /// No text at all.
    Binary,
}

/// The text of a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decoded {
    /// The text, without a byte-order mark; empty for [`Encoding::Binary`].
    pub text: String,
    /// The encoding that was found.
    pub encoding: Encoding,
    /// Position in `text` of the first character that is not UTF-8 in the file.
    pub lossy_at: Option<usize>,
}

/// Detects the encoding of bytes and decodes them. Never fails; see [`Encoding::Binary`].
pub fn decode(bytes: &[u8]) -> Decoded {
    let text = |text: String, encoding| Decoded { text, encoding, lossy_at: None };
    if let Some(rest) = bytes.strip_prefix(&[0xFF, 0xFE]) {
        return utf16(rest, u16::from_le_bytes);
    }
    if let Some(rest) = bytes.strip_prefix(&[0xFE, 0xFF]) {
        return utf16(rest, u16::from_be_bytes);
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    if is_binary(bytes) {
        return text(String::new(), Encoding::Binary);
    }
    let valid = match std::str::from_utf8(bytes) {
        Ok(valid) => return text(valid.to_owned(), Encoding::Utf8),
        Err(error) => error.valid_up_to(),
    };
    let encoding = guess(bytes);
    let table = if encoding == Encoding::MacRoman { MACINTOSH } else { WINDOWS_1252 };
    // All bytes are characters of either encoding.
    let decode = |bytes| table.decode_without_bom_handling(bytes).0;
    let (before, from) = bytes.split_at(valid);
    let before = decode(before);
    Decoded { lossy_at: Some(before.len()), text: before.into_owned() + &decode(from), encoding }
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Decoded {
    let units = bytes.chunks(2).map(|c| unit([c[0], c.get(1).copied().unwrap_or(0)]));
    let mut lossy_at = None;
    let mut text = String::with_capacity(bytes.len() / 2);
    for c in char::decode_utf16(units) {
        if c.is_err() && lossy_at.is_none() {
            lossy_at = Some(text.len());
        }
        text.push(c.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if text.contains('\0') {
        return Decoded { text: String::new(), encoding: Encoding::Binary, lossy_at: None };
    }
    Decoded { text, encoding: Encoding::Utf16, lossy_at }
}

/// NUL never occurs in text, and other control characters hardly ever.
fn is_binary(bytes: &[u8]) -> bool {
    let control = |b: &&u8| matches!(**b, 0..=8 | 14..=25 | 27..=31 | 127);
    bytes.contains(&0) || bytes.iter().filter(control).count() > bytes.len() / 20
}

/// Tells MacRoman from Latin-1. Line ends of a lone CR speak for a Macintosh; so do bytes that are
/// accented letters there (0x80 to 0x9F) and hardly ever occur in Latin-1.
fn guess(bytes: &[u8]) -> Encoding {
    let returns = bytes.iter().filter(|&&b| b == b'\r').count();
    let newlines = bytes.iter().filter(|&&b| b == b'\n').count();
    // Letters of western languages. In Latin-1 they lie above 0xBF, in MacRoman mostly below 0xA0;
    // the quotation marks and dashes of Windows-1252 lie there as well, beside blanks.
    let beside_letter = |i: usize| {
        let letter = |j: Option<usize>| j.and_then(|j| bytes.get(j)).is_some_and(u8::is_ascii_alphabetic);
        letter(i.checked_sub(1)) && letter(Some(i + 1))
    };
    let inside = |range: std::ops::RangeInclusive<u8>| {
        bytes.iter().enumerate().filter(|(i, b)| range.contains(b) && beside_letter(*i)).count()
    };
    let mac = inside(0x80..=0x9F);
    // A typographic apostrophe of Windows-1252 also stands between letters.
    let apostrophes = bytes.iter().filter(|&&b| b == 0x92).count();
    let latin = inside(0xC0..=0xFF);
    if returns > newlines && latin == 0 || mac.saturating_sub(apostrophes) > latin {
        Encoding::MacRoman
    } else {
        Encoding::Latin1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bytes: &[u8], text: &str, encoding: Encoding, lossy_at: Option<usize>) {
        assert_eq!(decode(bytes), Decoded { text: text.to_owned(), encoding, lossy_at });
    }

    #[test]
    fn utf8_is_taken_as_it_is() {
        check(b"x", "x", Encoding::Utf8, None);
        check(b"", "", Encoding::Utf8, None);
        check("é ∧ λ".as_bytes(), "é ∧ λ", Encoding::Utf8, None);
        check(b"\xEF\xBB\xBFx", "x", Encoding::Utf8, None);
    }

    #[test]
    fn old_encodings_are_told_apart() {
        check(b"// caf\xE9s\nx", "// cafés\nx", Encoding::Latin1, Some(6));
        check(b"// caf\x8Es\rx\ry", "// cafés\rx\ry", Encoding::MacRoman, Some(6));
        check(b"// caf\x8Es\nx", "// cafés\nx", Encoding::MacRoman, Some(6));
        check(b"// it\x92s\nx", "// it’s\nx", Encoding::Latin1, Some(5));
        check(b"/* \xA9 */\r\n", "/* © */\r\n", Encoding::Latin1, Some(3));
        check(b"/* \xA9 */\rx", "/* © */\rx", Encoding::MacRoman, Some(3));
    }

    #[test]
    fn utf16_needs_its_mark() {
        check(b"\xFF\xFEx\0", "x", Encoding::Utf16, None);
        check(b"\xFE\xFF\0x", "x", Encoding::Utf16, None);
        check(b"\xFF\xFEx\0y", "xy", Encoding::Utf16, None);
        check(b"\xFE\xFF\xD8\x00\0x", "\u{FFFD}x", Encoding::Utf16, Some(0));
    }

    #[test]
    fn binary_files_are_no_text() {
        check(b"MACHINE\0", "", Encoding::Binary, None);
        check(b"\x7FELF\x01\x02\x03", "", Encoding::Binary, None);
        check(b"\xFF\xFE\0\0", "", Encoding::Binary, None);
    }
}
