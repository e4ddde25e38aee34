//! Bytes to text with places: how bytes are decoded, where in a text something stands, and where texts come from.
//! Nothing here knows what the texts mean.

pub mod source;

pub mod decode;

mod error;

pub mod archive;
pub mod files;
