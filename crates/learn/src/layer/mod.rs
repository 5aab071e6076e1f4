//! The layers of the network, each as plain loops over flat slices.

pub mod dense;
pub mod external;
pub mod mining;
