//! From the addresses of documents to paths and back.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;

/// The path of a document. What is no file, as an unsaved new one, has its whole address as its path.
pub fn path(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else { return PathBuf::from(text) };
    // What stands before the first `/` is a host.
    let rest = rest.find('/').map_or(rest, |at| &rest[at..]);
    let path = decoded(rest);
    // `/c:/m.mch` of Windows.
    let drive = path.as_bytes().get(1..3).is_some_and(|d| d[0].is_ascii_alphabetic() && d[1] == b':');
    PathBuf::from(if drive { &path[1..] } else { &path })
}

/// The address of a file; `None` where its path is not absolute.
pub fn of_path(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if !path.is_absolute() {
        // The whole address of what is no file.
        return Uri::from_str(text).ok().filter(|_| text.contains(':'));
    }
    let text = text.replace('\\', "/");
    let mut out = String::from(if text.starts_with('/') { "file://" } else { "file:///" });
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                out.push(byte as char)
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    Uri::from_str(&out).ok()
}

fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|d| std::str::from_utf8(d).ok());
        match digits.and_then(|d| u8::from_str_radix(d, 16).ok()).filter(|_| bytes[at] == b'%') {
            Some(byte) => {
                out.push(byte);
                at += 3;
            }
            None => {
                out.push(bytes[at]);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_keep_their_letters() {
        let path_of = |text: &str| path(&Uri::from_str(text).unwrap());
        assert_eq!(path_of("file:///a%20b/%C3%A9.mch"), PathBuf::from("/a b/é.mch"));
        assert_eq!(path_of("file:///c%3A/m.mch"), PathBuf::from("c:/m.mch"));
        assert_eq!(path_of("untitled:Untitled-1"), PathBuf::from("untitled:Untitled-1"));
        assert_eq!(of_path(Path::new("/a b/é.mch")).unwrap().as_str(), "file:///a%20b/%C3%A9.mch");
        assert_eq!(of_path(Path::new("untitled:Untitled-1")).unwrap().as_str(), "untitled:Untitled-1");
        assert!(of_path(Path::new("m.mch")).is_none());
    }
}
