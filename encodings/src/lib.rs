//! encodings
