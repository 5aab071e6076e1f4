//! Explanations where the truth is known: one program, as in every crate.

mod planted_rules;
