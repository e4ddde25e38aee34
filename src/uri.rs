//! Paths as URIs, and the paths of URIs.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use lsp_types::Uri;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that are written with `%`: all but the unreserved ones (RFC 3986) and the slash between folders.
const ESCAPED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// Encodes a path with slashes for a URI.
pub fn encoded(path: &str) -> String {
    utf8_percent_encode(path, ESCAPED).to_string()
}

/// Returns the path of a document. A document that is no file, such as a new one that was not saved, has its whole
/// address as its path.
pub fn path(uri: &Uri) -> PathBuf {
    let text = uri.as_str();
    let Some(rest) = text.strip_prefix("file://") else { return PathBuf::from(text) };
    // The text before the first `/` is a host.
    let rest = rest.find('/').map_or(rest, |at| &rest[at..]);
    let path = percent_decode_str(rest).decode_utf8_lossy();
    // `/c:/m.mch` of Windows.
    let drive = path.as_bytes().get(1..3).is_some_and(|d| d[0].is_ascii_alphabetic() && d[1] == b':');
    PathBuf::from(if drive { &path[1..] } else { &path[..] })
}

/// The address of a file; `None` where its path is not absolute.
pub fn of_path(path: &Path) -> Option<Uri> {
    let text = path.to_str()?;
    if !path.is_absolute() {
        // A path that names no file is the whole address.
        return Uri::from_str(text).ok().filter(|_| text.contains(':'));
    }
    let text = text.replace('\\', "/");
    let root = if text.starts_with('/') { "file://" } else { "file:///" };
    Uri::from_str(&format!("{root}{}", encoded(&text))).ok()
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
