//! Paths in files that are read from another folder.

use std::path::Path;

/// Returns the path as seen from a folder, with `/` between names.
pub fn relative(path: &Path, folder: &Path) -> String {
    let full = |p: &Path| std::fs::canonicalize(p).or_else(|_| std::path::absolute(p));
    let here = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (Ok(path), Ok(folder)) = (full(path), full(here)) else { return path.display().to_string() };
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().count() - shared;
    let mut parts = vec!["..".to_string(); up];
    parts.extend(path.components().skip(shared).map(|c| c.as_os_str().to_string_lossy().into_owned()));
    parts.join("/")
}
