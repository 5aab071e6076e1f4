//! A forest in few bytes, before it is compressed: equal things stand together, and numbers that repeat are named once.
//!
//! Numbers are written in [`leb128`]: trees, nodes, columns. Then one bit a node, in the order of [`FlatForest`], eight
//! a byte, the lowest first: whether it is split. Then for each column the number of its different thresholds, and
//! these, increasing, as `f64`. For each split its column; for each split the place of its threshold among those of its
//! column; for each leaf 0 if its answer is new, else its place, from 1, among the answers before it; and the answers,
//! as `f64`.
//!
//! Promise: what was written reads back bit for bit; what reads back is a forest whose lists agree (its owner still
//! checks columns and numbers). Tested by round trips, cuts and flipped bits.

use super::{FlatForest, LEAF};
use einsicht_graph::leb128;
use rustc_hash::FxHashMap;

/// The forest as bytes.
pub fn encode(forest: &FlatForest) -> Vec<u8> {
    let FlatForest { width, roots, columns, nexts, thresholds, predictions } = forest;
    let splits: Vec<usize> = (0..columns.len()).filter(|&node| columns[node] != LEAF).collect();
    let num_columns = splits.iter().map(|&node| columns[node] as usize + 1).max().unwrap_or(0);
    let mut by_column: Vec<Vec<f64>> = vec![Vec::new(); num_columns];
    for &node in &splits {
        by_column[columns[node] as usize].push(thresholds[node]);
    }
    for of_column in &mut by_column {
        of_column.sort_unstable_by(f64::total_cmp);
        of_column.dedup_by_key(|threshold| threshold.to_bits());
    }
    let mut code = Vec::with_capacity(columns.len());
    for number in [roots.len(), columns.len(), num_columns] {
        push(&mut code, number);
    }
    let bit = |at: usize| columns.get(at).is_some_and(|column| *column != LEAF);
    code.extend(
        (0..columns.len()).step_by(8).map(|first| (0..8).fold(0, |byte, at| byte | u8::from(bit(first + at)) << at)),
    );
    for of_column in &by_column {
        push(&mut code, of_column.len());
        code.extend(of_column.iter().flat_map(|threshold| threshold.to_le_bytes()));
    }
    for &node in &splits {
        push(&mut code, columns[node] as usize);
    }
    for &node in &splits {
        let of_column = &by_column[columns[node] as usize];
        push(&mut code, of_column.binary_search_by(|known| known.total_cmp(&thresholds[node])).unwrap_or(0));
    }
    let mut known: FxHashMap<Vec<u64>, usize> = FxHashMap::default();
    let mut answers = Vec::new();
    for node in (0..columns.len()).filter(|&node| columns[node] == LEAF) {
        let answer = &predictions[nexts[node] as usize * width..][..*width];
        let place = known.len() + 1;
        let at = *known.entry(answer.iter().map(|number| number.to_bits()).collect()).or_insert(place);
        if at == place {
            answers.extend(answer.iter().flat_map(|number| number.to_le_bytes()));
        }
        push(&mut code, if at == place { 0 } else { at });
    }
    code.extend(answers);
    code
}

/// The forest of these bytes, with so many numbers an answer; nothing if they are no forest.
pub(crate) fn decode(code: &[u8], width: usize) -> Option<FlatForest> {
    let mut code = Reader(code);
    let (trees, nodes, num_columns) = (code.number()?, code.number()?, code.number()?);
    let bits = code.bytes(nodes.div_ceil(8))?;
    let is_split: Vec<bool> = (0..nodes).map(|at| bits[at / 8] >> (at % 8) & 1 == 1).collect();
    let mut by_column = Vec::new();
    for _ in 0..num_columns {
        let count = code.number()?;
        by_column.push(code.f64s(count)?);
    }
    let splits = is_split.iter().filter(|split| **split).count();
    let of_splits = (0..splits).map(|_| code.number()).collect::<Option<Vec<usize>>>()?;
    let mut places = Vec::with_capacity(splits);
    for &column in &of_splits {
        places.push(*by_column.get(column)?.get(code.number()?)?);
    }
    let of_leaves = (0..nodes - splits).map(|_| code.number()).collect::<Option<Vec<usize>>>()?;
    let answers = code.f64s(of_leaves.iter().filter(|place| **place == 0).count().checked_mul(width)?)?;
    if !code.0.is_empty() {
        return None;
    }
    let mut forest = FlatForest { width, ..FlatForest::default() };
    let (mut split, mut leaf, mut new) = (0, 0, 0);
    // Nodes whose right child is not there yet.
    let mut open: Vec<usize> = Vec::new();
    let mut is_done = true;
    for (node, &splits_here) in is_split.iter().enumerate() {
        if is_done {
            forest.roots.push(node as u32);
            is_done = false;
        }
        if splits_here {
            forest.columns.push(u32::try_from(of_splits[split]).ok().filter(|column| *column != LEAF)?);
            forest.thresholds.push(places[split]);
            forest.nexts.push(0);
            open.push(node);
            split += 1;
            continue;
        }
        let place = if of_leaves[leaf] == 0 { new } else { of_leaves[leaf] - 1 };
        new += usize::from(of_leaves[leaf] == 0);
        forest.columns.push(LEAF);
        forest.thresholds.push(0.0);
        forest.nexts.push(leaf as u32);
        forest.predictions.extend_from_slice(answers.get(..new * width)?.get(place * width..(place + 1) * width)?);
        leaf += 1;
        match open.pop() {
            Some(parent) => forest.nexts[parent] = node as u32 + 1,
            None => is_done = true,
        }
    }
    (is_done && forest.roots.len() == trees).then_some(forest)
}

fn push(code: &mut Vec<u8>, number: usize) {
    leb128::push(code, number as u64);
}

/// What is left to read.
struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<usize> {
        leb128::take_u32(&mut self.0).map(|number| number as usize)
    }

    fn bytes(&mut self, len: usize) -> Option<&'a [u8]> {
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn f64s(&mut self, count: usize) -> Option<Vec<f64>> {
        let (words, _) = self.bytes(count.checked_mul(8)?)?.as_chunks::<8>();
        Some(words.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heads::Table;
    use einsicht_forest::{Columns, Forest, ForestParams, Response};

    /// Many columns, several classes, ties.
    fn table() -> (Vec<f64>, Vec<u32>) {
        let cell = |at: usize| f64::from((at * at * 31 % 1009 % 7) as u32) / 3.0;
        ((0..120 * 200).map(cell).collect(), (0..120).map(|row| row * 13 % 5 % 3).collect())
    }

    #[test]
    fn a_forest_reads_back_bit_for_bit_in_fewer_bytes() {
        let (values, labels) = table();
        let columns = Columns::new(&values, 120, 200);
        let params = ForestParams { trees: 20, ..ForestParams::default() };
        let response = Response::Classes { labels: &labels, classes: 3 };
        let numbers: Vec<f64> = (0..120).map(|row| f64::from(row % 17).sqrt()).collect();
        for response in [response, Response::Numbers(&numbers)] {
            let forest = FlatForest::new(&Forest::grow(&columns, response, &[1.0; 120], &params));
            let code = encode(&forest);
            let back = decode(&code, response.width()).expect("a forest");
            assert!(back == forest && back.check(200));
            let json = serde_json::to_string(&forest).unwrap();
            assert!(serde_json::from_str::<FlatForest>(&json).unwrap() == forest);
            assert!(json.len() < 2 * code.len(), "{} characters", json.len());
            assert!(serde_json::from_str::<FlatForest>(&json.replace("\"]", "AAAA\"]")).is_err());
            let rows = Table { values: &values, rows: 120 };
            assert_eq!(back.predictions(rows), forest.predictions(rows));
            assert!(forest.columns.len() > 300, "{} nodes", forest.columns.len());
            if response.width() == 3 {
                assert!(code.len() < 10 * forest.columns.len(), "{} bytes", code.len());
            }
            for len in (0..code.len()).step_by(7) {
                assert!(decode(&code[..len], response.width()).is_none(), "cut at {len}");
            }
            for at in 0..code.len().min(1000) {
                let mut flipped = code.clone();
                flipped[at] ^= 0x41;
                let _ = decode(&flipped, response.width());
            }
        }
        assert!(decode(&[], 1).is_none() && decode(&[1, 1, 0, 1], 1).is_none());
    }
}
