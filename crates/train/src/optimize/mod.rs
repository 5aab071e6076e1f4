//! Optimisers of the weights on fixed patterns, and the objective that they minimise.

pub(crate) mod adam;
pub(crate) mod convex;
pub(crate) mod lbfgs;
pub(crate) mod line_search;
pub(crate) mod objective;
pub(crate) mod polish;
