//! Bytes to text with places: decoding of bytes, places in a text, and sources of texts. Nothing here depends on the
//! meaning of the texts.

pub mod attributes;
pub mod source;

pub mod decode;

mod error;

pub mod observed;

pub mod archive;
pub mod files;
