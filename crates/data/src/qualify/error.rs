//! Why qualifiers cannot be settled or applied: what must hold, what was given, and a way out.

use super::{HALOGEN, MAX_QUALIFIERS};
use crate::read::{Place, ReadError};
use std::path::PathBuf;

/// Why qualifiers cannot be settled or applied.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum QualifierError {
    #[error("a list of qualifiers must name properties, but {text:?} has an empty entry")]
    EmptyName { text: String },
    #[error("a qualifier must be a property of the data, but there is no {name:?}; there are: {}", known.join(", "))]
    Unknown { name: String, known: Vec<String> },
    #[error("some vertex must have the property {property:?}, but none has; leave it out")]
    NoValue { property: String },
    #[error("the property \"element\" needs two different halogens, but the data have fewer; leave it out")]
    OneHalogen,
    #[error(
        "a property must have no more values than there are graphs, but {property:?} has {values} in {graphs} graphs; \
         leave it out, or give it classes such as low and high"
    )]
    ManyValues { property: String, values: usize, graphs: usize },
    #[error(
        "qualifiers may have {MAX_QUALIFIERS} values in all, but these have {values}; leave out a property with many"
    )]
    TooManyInAll { values: usize },
    #[error("the value {token:?} of the property {property:?} must be in the table once, but is there twice")]
    Repeated { property: String, token: String },
    #[error(
        "the label {HALOGEN} is reserved for halogens, but another vertex label has this name; rename it, or list the \
         qualifiers without element"
    )]
    LabelTaken,
    #[error(
        "the vertices must have the property {property:?}, but {set} does not have it (it has: {}); read the molecules \
         from SMILES or an SD file, or give the property in a file", known.join(", ")
    )]
    Missing { property: String, set: String, known: Vec<String> },
    #[error(
        "the property \"ring\" tells aromatic atoms from others, so edges must have labels, but {set} has none; read \
         it with its edge labels"
    )]
    NoBonds { set: String },
    #[error("qualifiers can be applied once only, but {set} has those of another table; start from the data as read")]
    Qualified { set: String },
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error("{place}: {problem}")]
    File { place: Place, problem: String },
    #[error("{}: must have a row for each vertex, but vertex {vertex} of graph {graph:?} has none", path.display())]
    NoRow { path: PathBuf, graph: String, vertex: usize },
}
