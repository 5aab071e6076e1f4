//! DFS codes: a connected graph as the list of its edges in the order of a depth-first search.
//!
//! A vertex is named by the time at which the search discovers it. Among all codes of a graph the minimum one (in
//! gSpan's order, here the derived order of [`DfsCode`]) is its canonical form: two graphs are isomorphic exactly if
//! their minimum codes are equal. Paper: section "Backpropagation with Gradient Pruning" uses gSpan's tree of such
//! codes.

use crate::graph::{Edge, Graph, GraphError};
use crate::ids::{Label, MAX_QUALIFIERS, Qualifier, VertexId};
use std::cmp::Ordering;
use std::sync::Arc;

/// One edge of a code. Forward edges discover a vertex (`from < to`), backward edges close a ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DfsEdge {
    /// Discovery time of the end that the edge leaves.
    pub from: u32,
    /// Discovery time of the other end.
    pub to: u32,
    /// Label of `from`.
    pub from_label: Label,
    /// Label of the edge.
    pub edge_label: Label,
    /// Label of `to`.
    pub to_label: Label,
}

impl DfsEdge {
    /// Whether this edge discovers a vertex.
    #[inline]
    pub(crate) const fn is_forward(&self) -> bool {
        self.from < self.to
    }

    /// The edge from its other end.
    pub(crate) const fn reversed(&self) -> Self {
        let Self { from, to, from_label, edge_label, to_label } = *self;
        Self { from: to, to: from, from_label: to_label, edge_label, to_label: from_label }
    }

    /// (`from_label`, `edge_label`, `to_label`): what decides which edge starts a minimum code.
    pub(crate) const fn labels(&self) -> (Label, Label, Label) {
        (self.from_label, self.edge_label, self.to_label)
    }

    /// The edges of a graph as they were added, with the labels of their ends.
    pub(crate) fn list(graph: &Graph) -> Vec<Self> {
        let labelled = |edge: &Edge| Self {
            from: edge.from.0,
            to: edge.to.0,
            from_label: graph.vertex_label(edge.from),
            edge_label: edge.label,
            to_label: graph.vertex_label(edge.to),
        };
        graph.edges().iter().map(labelled).collect()
    }
}

/// gSpan's order of edges at one position of a code: backward before forward; backward edges by the
/// vertex they reach; forward edges by the vertex they leave, the deepest first; then labels. For two
/// edges that can follow the same prefix this is the order of the original definition.
impl Ord for DfsEdge {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_forward(), other.is_forward()) {
            (false, true) => Ordering::Less,
            (true, false) => Ordering::Greater,
            (false, false) => {
                (self.from, self.to).cmp(&(other.from, other.to)).then_with(|| self.labels().cmp(&other.labels()))
            }
            (true, true) => {
                let depth = |e: &Self| (e.to, std::cmp::Reverse(e.from));
                depth(self).cmp(&depth(other)).then_with(|| self.labels().cmp(&other.labels()))
            }
        }
    }
}

impl PartialOrd for DfsEdge {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What is added to a pattern to get a larger one. The order is that of codes which have everything before in common:
/// no pattern grows from a single vertex but those that qualify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The first vertex of a pattern without edges.
    Vertex(Label),
    /// A qualifier of one of its vertices.
    Qualifier(Qualifier),
    /// An edge of its code.
    Edge(DfsEdge),
}

/// How large a pattern is, as ties are broken: fewer edges first, then fewer qualifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PatternSize {
    /// 0 for a single vertex.
    pub edges: usize,
    /// Of all vertices together.
    pub qualifiers: usize,
}

/// A pattern: a connected graph as a DFS code, with the qualifiers of its vertices. Codes compare vertex by vertex and
/// edge by edge, a prefix before its extensions, then by their qualifiers. Copies share the content.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DfsCode(Arc<Content>);

/// The order of the fields is the order of codes.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Content {
    /// Label of the vertex that is discovered first.
    start: Label,
    edges: Box<[DfsEdge]>,
    /// Increasing.
    qualifiers: Box<[Qualifier]>,
}

/// Why a list of five-tuples is not a DFS code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the texts say what each variant and its fields mean")]
pub enum DfsCodeError {
    #[error("a pattern must have at least one edge")]
    Empty,
    #[error("edge {position} must continue the depth-first walk, but it joins {from} to {to}")]
    BrokenWalk { position: usize, from: u32, to: u32 },
    #[error("edge {position} gives vertex {vertex} a second label")]
    LabelChanged { position: usize, vertex: u32 },
    #[error(
        "a qualifier must be of one of the {vertices} vertices, given once and below {MAX_QUALIFIERS}, but there is \
         {value} at vertex {vertex}"
    )]
    BadQualifier { vertices: usize, vertex: u32, value: u32 },
    #[error(transparent)]
    Graph(#[from] GraphError),
}

impl DfsCode {
    /// Checks that the edges are a depth-first search of a simple graph with one label per vertex. Whether the code is
    /// the *minimum* of that graph is a separate question ([`DfsCode::is_minimum`]).
    pub fn new(edges: Vec<DfsEdge>) -> Result<Self, DfsCodeError> {
        if edges.is_empty() {
            return Err(DfsCodeError::Empty);
        }
        let mut labels: Vec<Label> = vec![edges[0].from_label];
        let mut rightmost_path = vec![0_u32];
        for (position, edge) in edges.iter().enumerate() {
            let broken = DfsCodeError::BrokenWalk { position, from: edge.from, to: edge.to };
            let ends_exist = edge.from < labels.len() as u32 && edge.to <= labels.len() as u32;
            if !ends_exist || edge.from == edge.to {
                return Err(broken);
            }
            if edge.is_forward() {
                if edge.to as usize != labels.len() {
                    return Err(broken);
                }
                let Some(at) = rightmost_path.iter().position(|&v| v == edge.from) else { return Err(broken) };
                rightmost_path.truncate(at + 1);
                rightmost_path.push(edge.to);
                labels.push(edge.to_label);
            } else if rightmost_path.last() != Some(&edge.from) || !rightmost_path.contains(&edge.to) {
                return Err(broken);
            }
            for (vertex, label) in [(edge.from, edge.from_label), (edge.to, edge.to_label)] {
                if labels[vertex as usize] != label {
                    return Err(DfsCodeError::LabelChanged { position, vertex });
                }
            }
        }
        let code = Self::from_parts_unchecked(labels[0], edges, Vec::new());
        code.try_graph()?;
        Ok(code)
    }

    /// The pattern of a single vertex.
    pub fn single_vertex(label: Label) -> Self {
        Self::from_parts_unchecked(label, Vec::new(), Vec::new())
    }

    /// The same pattern with these qualifiers instead of its own. Whether they are the smallest under the automorphisms
    /// of the pattern is a separate question ([`DfsCode::is_minimum`]).
    pub fn with_qualifiers(&self, mut qualifiers: Vec<Qualifier>) -> Result<Self, DfsCodeError> {
        let vertices = self.num_vertices();
        qualifiers.sort_unstable();
        for (at, &qualifier) in qualifiers.iter().enumerate() {
            let Qualifier { vertex, value } = qualifier;
            let is_repeated = at > 0 && qualifiers[at - 1] == qualifier;
            if vertex as usize >= vertices || value as usize >= MAX_QUALIFIERS || is_repeated {
                return Err(DfsCodeError::BadQualifier { vertices, vertex, value });
            }
        }
        Ok(Self::from_parts_unchecked(self.start(), self.edges().to_vec(), qualifiers))
    }

    /// A code that the caller knows to be valid, as the miner does.
    pub(crate) fn from_parts_unchecked(start: Label, edges: Vec<DfsEdge>, qualifiers: Vec<Qualifier>) -> Self {
        Self(Arc::new(Content { start, edges: edges.into(), qualifiers: qualifiers.into() }))
    }

    /// The pattern that these steps lead to.
    ///
    /// # Panics
    /// If they lead nowhere: a bug in the caller.
    pub(crate) fn from_steps(steps: impl IntoIterator<Item = Step>) -> Self {
        let (mut start, mut edges, mut qualifiers) = (None, Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Vertex(label) => start = Some(label),
                Step::Edge(edge) => edges.push(edge),
                Step::Qualifier(qualifier) => qualifiers.push(qualifier),
            }
        }
        let start = start.or_else(|| edges.first().map(|edge: &DfsEdge| edge.from_label));
        Self::from_parts_unchecked(start.expect("a pattern has a vertex"), edges, qualifiers)
    }

    /// The steps that lead to this pattern: its vertex or its edges, then its qualifiers.
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        let vertex = self.edges().is_empty().then_some(Step::Vertex(self.start()));
        let edges = self.edges().iter().copied().map(Step::Edge);
        vertex.into_iter().chain(edges).chain(self.qualifiers().iter().copied().map(Step::Qualifier))
    }

    /// Label of the vertex that is discovered first.
    pub fn start(&self) -> Label {
        self.0.start
    }

    /// The edges; none if the pattern is a single vertex.
    pub fn edges(&self) -> &[DfsEdge] {
        &self.0.edges
    }

    /// The qualifiers of its vertices, increasing.
    pub fn qualifiers(&self) -> &[Qualifier] {
        &self.0.qualifiers
    }

    /// Number of edges.
    pub fn num_edges(&self) -> usize {
        self.edges().len()
    }

    /// Number of vertices.
    pub fn num_vertices(&self) -> usize {
        self.edges().iter().map(|e| e.from.max(e.to) as usize + 1).max().unwrap_or(1)
    }

    /// Labels of the vertices, by discovery time.
    pub fn vertex_labels(&self) -> Vec<Label> {
        let mut labels = vec![self.start(); self.num_vertices()];
        for edge in self.edges() {
            labels[edge.from as usize] = edge.from_label;
            labels[edge.to as usize] = edge.to_label;
        }
        labels
    }

    /// The pattern as a graph; vertices are numbered by discovery time, edges as in the code.
    ///
    /// # Panics
    /// Never: a code is checked by its constructor.
    pub fn to_graph(&self) -> Graph {
        self.try_graph().expect("a DFS code is a simple graph")
    }

    fn try_graph(&self) -> Result<Graph, GraphError> {
        let mut builder = Graph::builder();
        for label in self.vertex_labels() {
            builder.add_vertex(label)?;
        }
        for edge in self.edges() {
            builder.add_edge(VertexId(edge.from), VertexId(edge.to), edge.edge_label)?;
        }
        let mut graph = builder.build();
        if !self.qualifiers().is_empty() {
            let mut bits = vec![0; graph.num_vertices()];
            self.qualifiers().iter().for_each(|q| bits[q.vertex as usize] |= 1 << q.value);
            graph.set_qualifiers(bits);
        }
        Ok(graph)
    }

    /// Its edges and qualifiers.
    pub fn size(&self) -> PatternSize {
        PatternSize { edges: self.num_edges(), qualifiers: self.qualifiers().len() }
    }

    /// The total order of patterns that breaks ties everywhere: smaller size first, then the smaller code.
    pub fn cmp_by_size(&self, other: &Self) -> Ordering {
        self.size().cmp(&other.size()).then_with(|| self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(from: u32, to: u32, labels: [u32; 3]) -> DfsEdge {
        DfsEdge { from, to, from_label: Label(labels[0]), edge_label: Label(labels[1]), to_label: Label(labels[2]) }
    }

    #[test]
    fn backward_edges_come_first_and_deep_forward_edges_before_shallow_ones() {
        let close = edge(2, 0, [0, 0, 0]);
        let deep = edge(2, 3, [0, 0, 5]);
        let shallow = edge(0, 3, [0, 0, 0]);
        assert!(close < deep && deep < shallow);
    }

    #[test]
    fn a_code_that_jumps_or_changes_a_label_is_refused() {
        let first = edge(0, 1, [0, 0, 1]);
        let cases = [
            (vec![], DfsCodeError::Empty),
            (vec![first, edge(1, 3, [1, 0, 0])], DfsCodeError::BrokenWalk { position: 1, from: 1, to: 3 }),
            (vec![first, edge(1, 2, [0, 0, 0])], DfsCodeError::LabelChanged { position: 1, vertex: 1 }),
            (vec![first, edge(1, 0, [1, 0, 0])], GraphError::DoubleEdge { from: 1, to: 0 }.into()),
            (
                vec![first, edge(0, 2, [0, 0, 1]), edge(1, 3, [1, 0, 0])],
                DfsCodeError::BrokenWalk { position: 2, from: 1, to: 3 },
            ),
        ];
        for (edges, expected) in cases {
            assert_eq!(DfsCode::new(edges), Err(expected));
        }
    }

    #[test]
    fn a_triangle_reads_back_as_a_triangle() {
        let code = DfsCode::new(vec![edge(0, 1, [0, 0, 0]), edge(1, 2, [0, 0, 1]), edge(2, 0, [1, 0, 0])]).unwrap();
        let graph = code.to_graph();
        assert_eq!((graph.num_vertices(), graph.num_edges()), (3, 3));
    }
}
