//! What a shard is made from: its graphs and the parameters of mining, as bytes that travel to a worker or lie in a
//! file.

use super::wire::{Broken, Reader, Writer};
use crate::bound::BLOCK_ROWS;
use einsicht_graph::mine::{Counts, MineParams};
use einsicht_graph::{Graph, Label, VertexId};
use std::ops::Range;

/// The first bytes of a shard.
const MAGIC: &[u8] = b"einsicht shard 1\n";

/// The graphs of a shard, and how the patterns of all shards are mined.
#[derive(Clone, Debug, PartialEq)]
pub struct ShardSource {
    /// Consecutive graphs of the training, in its order.
    pub graphs: Vec<Graph>,
    /// Parameters of the whole search; a shard ignores `min_support` and `memory`.
    pub params: MineParams,
}

/// The rows of each shard: whole blocks of sums, as evenly as that allows, and never an empty shard; so there may be
/// fewer than asked for.
pub fn shard_ranges(rows: usize, shards: usize) -> Vec<Range<usize>> {
    let blocks = rows.div_ceil(BLOCK_ROWS);
    let shards = shards.min(blocks);
    let start = |shard: usize| (blocks * shard / shards * BLOCK_ROWS).min(rows);
    (0..shards).map(|shard| start(shard)..start(shard + 1)).collect()
}

impl ShardSource {
    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer(MAGIC.to_vec());
        let MineParams { min_edges, max_edges, max_qualifiers, max_qualified_edges, min_support, threads, .. } =
            self.params;
        for number in [min_edges, max_edges, max_qualifiers, max_qualified_edges, min_support, threads] {
            writer.number(number as u64);
        }
        writer.byte(COUNTS.iter().position(|counts| *counts == self.params.counts).unwrap_or(0) as u8);
        writer.number(self.graphs.len() as u64);
        for graph in &self.graphs {
            writer.numbers(&graph.vertex_labels().iter().map(|label| label.0).collect::<Vec<_>>());
            writer.number(graph.num_edges() as u64);
            for edge in graph.edges() {
                for number in [edge.from.0, edge.to.0, edge.label.0] {
                    writer.number(number.into());
                }
            }
            writer.number(graph.all_qualifiers().len() as u64);
            graph.all_qualifiers().iter().for_each(|bits| writer.number(*bits));
        }
        writer.0
    }

    /// Reads what [`Self::to_bytes`] gave; the reason if it is not that.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        let mut reader = Reader(bytes.strip_prefix(MAGIC).ok_or("the bytes must be those of a shard of this version")?);
        let mut number = || reader.number().and_then(|n| usize::try_from(n).map_err(|_| "a number is too large"));
        let mut params = MineParams {
            min_edges: number()?,
            max_edges: number()?,
            max_qualifiers: number()?,
            max_qualified_edges: number()?,
            min_support: number()?,
            threads: number()?,
            ..MineParams::default()
        };
        params.counts = *COUNTS.get(usize::from(reader.byte()?)).ok_or("there are no such counts")?;
        let len = reader.len()?;
        let graphs = (0..len).map(|_| read_graph(&mut reader)).collect::<Result<_, _>>()?;
        reader.end()?;
        Ok(Self { graphs, params })
    }
}

const COUNTS: [Counts; 3] = [Counts::Off, Counts::MinimumImage, Counts::Copies];

fn read_graph(reader: &mut Reader<'_>) -> Result<Graph, Broken> {
    const BAD: Broken = "a graph is not one";
    let mut builder = Graph::builder();
    for label in reader.numbers()? {
        builder.add_vertex(Label(label)).map_err(|_| BAD)?;
    }
    for _ in 0..reader.len()? {
        let (from, to, label) = (VertexId(reader.small()?), VertexId(reader.small()?), Label(reader.small()?));
        builder.add_edge(from, to, label).map_err(|_| BAD)?;
    }
    let mut graph = builder.build();
    let qualifiers = reader.len()?;
    if qualifiers > 0 {
        let bits = (0..qualifiers).map(|_| reader.number()).collect::<Result<Vec<u64>, _>>()?;
        if bits.len() != graph.num_vertices() {
            return Err(BAD);
        }
        graph.set_qualifiers(bits);
    }
    Ok(graph)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_whole_blocks_and_cover_all_rows() {
        for (rows, shards) in [(1, 1), (1, 5), (4096, 2), (4097, 2), (20_000, 2), (20_000, 5), (20_000, 9)] {
            let ranges = shard_ranges(rows, shards);
            assert!(ranges.len() <= shards && ranges.iter().all(|range| !range.is_empty()));
            assert!(ranges.iter().all(|range| range.start.is_multiple_of(BLOCK_ROWS)));
            assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start));
            assert_eq!((ranges[0].start, ranges[ranges.len() - 1].end), (0, rows));
        }
        assert_eq!(shard_ranges(20_000, 5).len(), 5);
        assert!(shard_ranges(0, 3).is_empty());
    }

    #[test]
    fn a_shard_reads_back_and_cut_or_changed_bytes_are_refused() {
        let mut builder = Graph::builder();
        let [a, b, c] = [0, 300, 1].map(|label| builder.add_vertex(Label(label)).unwrap());
        builder.add_edge(c, a, Label(2)).unwrap();
        builder.add_edge(a, b, Label(0)).unwrap();
        let mut graph = builder.build();
        let plain = graph.clone();
        graph.set_qualifiers(vec![1, 0, 1 << 63]);
        let params = MineParams { max_qualifiers: 1, counts: Counts::Copies, min_support: 7, ..MineParams::default() };
        let source = ShardSource { graphs: vec![graph, plain], params };
        let bytes = source.to_bytes();
        assert_eq!(ShardSource::from_bytes(&bytes), Ok(source));
        for cut in 0..bytes.len() {
            assert!(ShardSource::from_bytes(&bytes[..cut]).is_err());
        }
        assert!(ShardSource::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }
}
