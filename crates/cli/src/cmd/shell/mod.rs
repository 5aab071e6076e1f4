//! Commands about the program itself: `completions`, `man`.

pub(super) mod completions;
pub(super) mod man;
