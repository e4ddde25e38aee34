//! Atelier B
use super::builder::Builder;
use crate::po::PoError;
use bsym_language::archive::Archive;
pub const EXTENSIONS: [&str; 4] = ["pog", "pos", "po", "pmi"];
pub fn components(_archive: &Archive) -> Vec<(String, String)> {
    vec![]
}
pub fn convert(_out: &mut Builder<'_>, _folder: &str, _stem: &str) -> Result<(), PoError> {
    Ok(())
}
