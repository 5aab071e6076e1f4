//! DFS codes in files and messages: a list of five-tuples `[from, to, from label, edge label, to label]`.
//!
//! Promise: what is written reads back equal, and what is no DFS code is refused with the reason.

use einsicht_graph::{DfsCode, DfsEdge, Label};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// The code as five-tuples.
pub fn to_tuples(code: &DfsCode) -> Vec<[u32; 5]> {
    let tuple = |e: &DfsEdge| [e.from, e.to, e.from_label.0, e.edge_label.0, e.to_label.0];
    code.edges().iter().map(tuple).collect()
}

/// The code of these five-tuples, or why there is none. Does not check that the code is canonical.
pub fn from_tuples(tuples: &[[u32; 5]]) -> Result<DfsCode, einsicht_graph::DfsCodeError> {
    let edge = |t: &[u32; 5]| DfsEdge {
        from: t[0],
        to: t[1],
        from_label: Label(t[2]),
        edge_label: Label(t[3]),
        to_label: Label(t[4]),
    };
    DfsCode::new(tuples.iter().map(edge).collect())
}

/// For `#[serde(with = "code_tuples")]`.
pub fn serialize<S: Serializer>(code: &DfsCode, serializer: S) -> Result<S::Ok, S::Error> {
    to_tuples(code).serialize(serializer)
}

/// For `#[serde(with = "code_tuples")]`.
pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DfsCode, D::Error> {
    from_tuples(&Vec::<[u32; 5]>::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// For `#[serde(with = "code_tuples::list")]`: several codes.
pub mod list {
    use super::{DfsCode, from_tuples, to_tuples};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes each code as five-tuples.
    pub fn serialize<S: Serializer>(codes: &[DfsCode], serializer: S) -> Result<S::Ok, S::Error> {
        codes.iter().map(to_tuples).collect::<Vec<_>>().serialize(serializer)
    }

    /// Reads the output of [`serialize`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DfsCode>, D::Error> {
        let lists = Vec::<Vec<[u32; 5]>>::deserialize(deserializer)?;
        lists.iter().map(|tuples| from_tuples(tuples).map_err(D::Error::custom)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_reads_back_and_a_broken_walk_is_refused() {
        let tuples = [[0, 1, 0, 3, 1], [1, 2, 1, 3, 0]];
        assert_eq!(to_tuples(&from_tuples(&tuples).unwrap()), tuples);
        assert!(from_tuples(&[[0, 1, 0, 3, 1], [1, 9, 1, 3, 0]]).is_err());
    }
}
