//! Bytes to text with places: where files come from, how they are decoded, and where in them something stands.

pub mod archive;
pub mod decode;
pub mod files;
pub mod source;
