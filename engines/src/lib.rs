//! Bounded model checking, k-induction and IC3 for B models.
pub mod options;
pub mod verdict;
