//! Reading and writing `po.json`.
//!
//! Reading is strict: about types, known words and references, and about unknown members, which may carry a meaning
//! that this version does not know. A file of this program must not contradict itself either ([`own`]).
//! Messages give the place in the file by line, column and JSON path.

use std::collections::BTreeSet;
use std::path::Path;

use bsym_language::int::Int;
use bsym_language::observed;

use crate::error::PoError;
use crate::file::{FORMAT, PoFile, VERSION};
use crate::own;

impl PoFile {
    /// Reads and validates a file.
    ///
    /// # Errors
    /// Every variant of [`PoError`] except another machine.
    pub fn read(path: &Path) -> Result<PoFile, PoError> {
        let read = std::fs::read(path);
        observed::read(path, read.as_deref().ok());
        let bytes = read.map_err(|source| PoError::Read { path: path.to_path_buf(), source })?;
        PoFile::parse(path, &bytes)
    }

    /// Validates the content of a file; the path is for messages.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn parse(path: &Path, bytes: &[u8]) -> Result<PoFile, PoError> {
        let other = |found: &str, help: &str| PoError::OtherFormat {
            path: path.to_path_buf(),
            found: found.into(),
            help: help.into(),
        };
        let convert = "convert it with `bsym proofs` first";
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        if bytes.starts_with(b"PK\x03\x04") {
            return Err(other("a zip archive", convert));
        }
        let Ok(text) = std::str::from_utf8(bytes) else {
            return Err(other("a file that is not UTF-8 text", "give a file written by `bsym po`"));
        };
        let start = text.trim_start();
        if start.is_empty() {
            return Err(other("an empty file", "write it with `bsym po MACHINE -o po.json`"));
        }
        if start.starts_with('<') {
            return Err(other("XML", convert));
        }
        if start.starts_with("package(") || start.starts_with(":- ") {
            return Err(other("a ProB package", convert));
        }
        if start.starts_with("MACHINE") || start.starts_with("/*") {
            return Err(other("a machine", "give the file with its proof status"));
        }
        let value: serde_json::Value = serde_json::from_str(text).map_err(|e| invalid(path, "", &e))?;
        let Some(object) = value.as_object() else {
            return Err(other("JSON that is no object", "give a file written by `bsym po`"));
        };
        match object.get("format").map(|f| (f.as_str(), f)) {
            Some((Some(FORMAT), _)) => {}
            Some((_, f)) => return Err(other(&format!("format {f}"), "give a file written by `bsym po`")),
            None => return Err(other("JSON without `format`", "give a file written by `bsym po`")),
        }
        match object.get("version") {
            Some(v) if v.as_u64() == Some(VERSION.into()) => {}
            v => {
                let found = v.map_or("(none)".into(), |v| v.to_string());
                return Err(PoError::OtherVersion { path: path.to_path_buf(), found });
            }
        }
        let mut reader = serde_json::Deserializer::from_str(text);
        let file: PoFile = serde_path_to_error::deserialize(&mut reader)
            .map_err(|e| invalid(path, &e.path().to_string(), e.inner()))?;
        file.consistent().map_err(|(json_path, message)| PoError::Inconsistent {
            path: path.to_path_buf(),
            json_path,
            message,
        })?;
        Ok(file)
    }

    /// Checks references, names and numbers. The error is a JSON path with a description.
    fn consistent(&self) -> Result<(), (String, String)> {
        if let Some(scope) = self.model.as_ref().and_then(|m| m.scope.as_ref()) {
            for (name, bound) in [("maxint", &scope.maxint), ("minint", &scope.minint)] {
                if bound.parse::<Int>().is_err() {
                    return Err((
                        format!("model.scope.{name}"),
                        format!("expected an integer, found `{bound}`"),
                    ));
                }
            }
        }
        if self.summary.as_ref().is_some_and(|s| *s != self.counts()) {
            return Err(("summary".into(), "these are not the numbers of the obligations".into()));
        }
        let mut ids = BTreeSet::new();
        for (i, s) in self.sources.iter().enumerate() {
            if !ids.insert(&s.id) {
                return Err((format!("sources[{i}].id"), format!("the source id `{}` is used twice", s.id)));
            }
            if s.sha256.len() != 64 || !s.sha256.bytes().all(|b| b.is_ascii_hexdigit()) {
                let message = format!("expected 64 hexadecimal digits, found `{}`", s.sha256);
                return Err((format!("sources[{i}].sha256"), message));
            }
        }
        let mut names = BTreeSet::new();
        for (i, o) in self.obligations.iter().enumerate() {
            if !names.insert(&o.id) {
                return Err((format!("obligations[{i}].id"), format!("the id `{}` is used twice", o.id)));
            }
            for (member, id) in [("obligation", &o.source.obligation), ("status", &o.source.status)] {
                if let Some(id) = id
                    && !ids.contains(id)
                {
                    let message = format!("`{id}` is not among the sources");
                    return Err((format!("obligations[{i}].source.{member}"), message));
                }
            }
            if let Some(p) = o.parts
                && p.proved > p.total
            {
                let message = format!("{} of {} parts are proved", p.proved, p.total);
                return Err((format!("obligations[{i}].parts"), message));
            }
        }
        own::within(self)
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`PoError::Write`]
    pub fn write(&self, path: &Path) -> Result<(), PoError> {
        std::fs::write(path, self.to_text())
            .map_err(|source| PoError::Write { path: path.to_path_buf(), source })
    }
}

fn invalid(path: &Path, json_path: &str, e: &serde_json::Error) -> PoError {
    // serde_json ends its messages with the place, which is shown in front here.
    let message = e.to_string();
    let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(m, _)| m).to_string();
    PoError::Invalid {
        path: path.to_path_buf(),
        line: e.line(),
        column: e.column(),
        json_path: json_path.to_string(),
        message,
    }
}
