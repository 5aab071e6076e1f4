//! Why a model says what it says, for people: shares of the output, rules, drawings, and one page to send to a colleague.
//!
//! Everything here reads a model through [`einsicht_learn::predict`] and changes nothing. This crate never opens a file and
//! never prints: drawings and pages are strings.

pub mod draw;
pub mod figure;
pub mod game;
pub mod kinship;
pub mod lime;
pub mod place;
pub mod report;
pub mod shapley;
pub mod surrogate;
#[cfg(test)]
mod testing;
