//! Patterns in files and messages: a list of five-tuples `[from, to, from label, edge label, to label]`, one per edge.
//! A single vertex is `[0, 0, label, 0, label]`; a qualifier follows as `[vertex, vertex, number, 1, 0]`: no edge joins
//! a vertex to itself.
//!
//! Promise: what is written reads back equal, and what is no DFS code is refused with the reason.

use einsicht_graph::{DfsCode, DfsCodeError, DfsEdge, Label, Qualifier, Step};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// Marks a five-tuple with equal ends as a qualifier.
const QUALIFIER: u32 = 1;

/// The code as five-tuples.
pub fn to_tuples(code: &DfsCode) -> Vec<[u32; 5]> {
    code.steps().map(tuple).collect()
}

fn tuple(step: Step) -> [u32; 5] {
    match step {
        Step::Vertex(label) => [0, 0, label.0, 0, label.0],
        Step::Edge(e) => [e.from, e.to, e.from_label.0, e.edge_label.0, e.to_label.0],
        Step::Qualifier(q) => [q.vertex, q.vertex, q.value, QUALIFIER, 0],
    }
}

/// The code that these steps lead to, or why there is none. Does not check that the code is canonical.
pub(crate) fn from_steps(steps: impl IntoIterator<Item = Step>) -> Result<DfsCode, DfsCodeError> {
    from_tuples(&steps.into_iter().map(tuple).collect::<Vec<_>>())
}

/// The code of these five-tuples, or why there is none. Does not check that the code is canonical.
pub fn from_tuples(tuples: &[[u32; 5]]) -> Result<DfsCode, DfsCodeError> {
    let (mut vertex, mut edges, mut qualifiers) = (None, Vec::new(), Vec::new());
    for &[from, to, first, second, third] in tuples {
        if from == to && second == QUALIFIER && third == 0 {
            qualifiers.push(Qualifier { vertex: from, value: first });
        } else if vertex.is_none() && edges.is_empty() && [from, to, second] == [0, 0, 0] && first == third {
            vertex = Some(Label(first));
        } else {
            let (from_label, edge_label, to_label) = (Label(first), Label(second), Label(third));
            edges.push(DfsEdge { from, to, from_label, edge_label, to_label });
        }
    }
    let code = match vertex {
        Some(label) if edges.is_empty() => DfsCode::single_vertex(label),
        Some(_) => return Err(DfsCodeError::BrokenWalk { position: 0, from: 0, to: 0 }),
        None => DfsCode::new(edges)?,
    };
    if qualifiers.is_empty() { Ok(code) } else { code.with_qualifiers(qualifiers) }
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

/// For `#[serde(with = "code_tuples::option")]`: a code or nothing.
pub mod option {
    use super::{DfsCode, from_tuples, to_tuples};
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    /// Writes the code as five-tuples.
    pub fn serialize<S: Serializer>(code: &Option<DfsCode>, serializer: S) -> Result<S::Ok, S::Error> {
        code.as_ref().map(to_tuples).serialize(serializer)
    }

    /// Reads the output of [`serialize`].
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<DfsCode>, D::Error> {
        let tuples = Option::<Vec<[u32; 5]>>::deserialize(deserializer)?;
        tuples.map(|tuples| from_tuples(&tuples).map_err(D::Error::custom)).transpose()
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
        for tuples in
            [&[[0, 0, 7, 0, 7]][..], &[[0, 0, 7, 0, 7], [0, 0, 63, 1, 0]], &[[0, 1, 0, 3, 1], [1, 1, 0, 1, 0]]]
        {
            assert_eq!(to_tuples(&from_tuples(tuples).unwrap()), tuples);
        }
        let broken = [
            &[][..],
            &[[0, 0, 7, 0, 7], [0, 1, 7, 0, 7]],
            &[[0, 0, 7, 0, 7], [0, 0, 7, 0, 7]],
            &[[0, 0, 7, 0, 7], [1, 1, 3, 1, 0]],
            &[[0, 1, 0, 3, 1], [1, 1, 64, 1, 0]],
            &[[1, 1, 3, 1, 0]],
        ];
        for tuples in broken {
            assert!(from_tuples(tuples).is_err(), "{tuples:?}");
        }
    }
}
