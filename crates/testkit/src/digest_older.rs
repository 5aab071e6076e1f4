//! Tensors of a model file as files of format 5 had them, so that digests that were stored then stay valid: out-of-fold
//! outputs of all parts of a head in one tensor, and counts of the chosen entry's patterns in the graphs of the fit,
//! one row per graph.

use crate::packed::Plain;
use serde_json::Value;
use std::collections::BTreeMap;

/// Replaces tensors that are stored in another form now. What the graphs of the fit are, is left out otherwise: forests
/// are grown from it, and those of the chosen entry are in the file.
pub(crate) fn as_before(tensors: BTreeMap<String, Plain>, header: &Value) -> BTreeMap<String, Plain> {
    let counts = counts(&tensors, header);
    let mut found: BTreeMap<String, Plain> = BTreeMap::new();
    for (name, tensor) in tensors {
        match name.rsplit_once(".out_of_fold.") {
            _ if name.starts_with("fitted.") => {}
            None => drop(found.insert(name, tensor)),
            // Parts come in order.
            Some((entry, _)) => {
                let all = found.entry(format!("{entry}.out_of_fold")).or_insert_with(|| Plain {
                    shape: vec![0, tensor.shape[0]],
                    dtype: tensor.dtype,
                    data: Vec::new(),
                });
                all.shape[0] += 1;
                all.data.extend(tensor.data);
            }
        }
    }
    if let Some(data) = counts {
        found.insert("seen.counts".to_owned(), Plain { dtype: "U8", shape: vec![data.len()], data });
    }
    found
}

/// Counts of the chosen entry's patterns, at most 255 each; nothing if the file does not know them, and none if
/// somebody picked the entry.
fn counts(tensors: &BTreeMap<String, Plain>, header: &Value) -> Option<Vec<u8>> {
    let numbers = |value: &Value| -> Option<Vec<usize>> {
        value.as_array()?.iter().map(|number| number.as_u64().map(|number| number as usize)).collect()
    };
    let [gaps, counts, lengths] = ["gaps", "counts", "lengths"].map(|part| tensors.get(&format!("fitted.{part}")));
    if header["picked"] == true {
        return Some(Vec::new());
    }
    let len = |list: &Value| list.as_array().map_or(0, Vec::len);
    let is_fitted = tensors.keys().any(|name| name.contains(".head."));
    let rows = &header["rows"];
    let all = len(&rows["train"]) + if is_fitted { len(&rows["valid"]) } else { 0 };
    let graphs = tensors.get("fitted.target.0").map_or(all, |targets| targets.shape[0]);
    let lengths: Vec<usize> = lengths?
        .data
        .chunks(4)
        .map(|word| word.iter().rev().fold(0, |all, byte| all << 8 | usize::from(*byte)))
        .collect();
    let listed = numbers(&header["fitted"])?;
    let chosen = numbers(&header["entries"][header["chosen"].as_u64()? as usize]["patterns"])?;
    let (mut gaps, mut counts) = (&gaps?.data[..], &counts?.data[..]);
    let mut table = vec![0_u8; graphs * chosen.len()];
    for (pattern, lengths) in listed.iter().zip(lengths.chunks(2)) {
        let (here, rest) = gaps.split_at_checked(lengths[0])?;
        let (times, others) = counts.split_at_checked(lengths[1])?;
        (gaps, counts) = (rest, others);
        let Some(column) = chosen.iter().position(|index| index == pattern) else { continue };
        let (times, mut graph) = (in_sevens(times), 0);
        for (at, gap) in in_sevens(here).into_iter().enumerate() {
            graph += gap;
            *table.get_mut((graph - 1) * chosen.len() + column)? =
                times.get(at).map_or(1, |count| (*count).min(255) as u8);
        }
    }
    Some(table)
}

/// Numbers of seven bits a byte, the lowest first; the eighth bit says that more follow.
fn in_sevens(bytes: &[u8]) -> Vec<usize> {
    let (mut numbers, mut number, mut shift) = (Vec::new(), 0, 0);
    for byte in bytes {
        number |= usize::from(byte & 127) << shift;
        shift += 7;
        if *byte < 128 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    numbers
}
