//! A digest of a model file, part by part, so that two programs can be compared to the bit.
//!
//! Promise: equal digests mean equal patterns, weights, heads, path, metrics, labels and held-out predictions, to the
//! last bit of every number. Forests are those of the chosen size: others are grown from the file, and metrics of all
//! sizes, which they give, are in the digest. The rest of the file is its *header*: format version, parameters, preset,
//! where the data came from. It may change without a new digest; [`ModelFile::header_differences`] lists what changed.
//!
//! Reads the safetensors container and its JSON entry by itself, and shares no code with `model`.

use crate::packed::{Plain, unpacked};
use serde_json::Value;
use std::collections::BTreeMap;

/// Parts of a model that must not change, in the order in which they are shown.
pub const PARTS: [&str; 8] = ["patterns", "weights", "heads", "path", "metrics", "labels", "held_out", "background"];

/// Fields of the JSON entry with their part. `*` stands for every element of a list, `?` after a name for a value that
/// may be null.
const FIELDS: [(&str, &str); 25] = [
    ("patterns", "patterns.*.code"),
    ("patterns", "patterns.*.class"),
    ("patterns", "patterns.*.support"),
    ("patterns", "patterns.*.by_class"),
    ("patterns", "patterns.*.whole"),
    ("heads", "entries.*.decision"),
    ("path", "entries.*.size"),
    ("path", "entries.*.lambda"),
    ("path", "entries.*.iterations"),
    ("path", "entries.*.kept"),
    ("path", "entries.*.stopped_by"),
    ("path", "entries.*.before?.size"),
    ("path", "entries.*.before?.lambda"),
    ("path", "entries.*.before?.step"),
    ("path", "complete"),
    ("path", "metric"),
    ("path", "chosen"),
    ("metrics", "entries.*.train"),
    ("metrics", "entries.*.valid"),
    ("metrics", "entries.*.test"),
    ("labels", "tasks"),
    ("labels", "vertex_labels"),
    ("labels", "edge_labels"),
    ("held_out", "seen"),
    ("held_out", "estimate"),
];

/// A model file, taken apart.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// By part, then by name: the hash of every tensor and field.
    items: BTreeMap<&'static str, BTreeMap<String, u128>>,
    /// The JSON entry without the fields above.
    header: Value,
}

impl ModelFile {
    /// Takes a file apart; the error says what is not as in a model file.
    pub fn read(file: &[u8]) -> Result<Self, String> {
        let mut items: BTreeMap<&'static str, BTreeMap<String, u128>> =
            PARTS.map(|part| (part, BTreeMap::new())).into();
        let mut add = |part: &str, name: String, hash: u128| {
            if let Some(of_part) = items.get_mut(part) {
                of_part.insert(name, hash);
            }
        };
        let (size, rest) = file.split_at_checked(8).ok_or("the file is shorter than eight bytes")?;
        let size = size.iter().rev().fold(0_usize, |size, &byte| (size << 8) | usize::from(byte));
        let (json, data) = rest.split_at_checked(size).ok_or("the container is shorter than its header")?;
        let container: Value = serde_json::from_slice(json).map_err(|e| format!("the container's header: {e}"))?;
        let entry = container["__metadata__"]["einsicht"].as_str().ok_or("there is no metadata entry `einsicht`")?;
        let mut header: Value = serde_json::from_str(entry).map_err(|e| format!("the metadata entry: {e}"))?;
        let is_tensor = |(name, _): &(&String, &Value)| !["__metadata__", "digest"].contains(&name.as_str());
        for (name, tensor) in container.as_object().into_iter().flatten().filter(is_tensor) {
            let bytes = bytes(tensor, data).ok_or_else(|| format!("tensor {name} has no bytes in the file"))?;
            let tensor = plain(tensor, bytes).ok_or_else(|| format!("tensor {name} is of an unknown kind"))?;
            let part = match name {
                name if name.ends_with(".patterns") || name.contains(".pairs") => "patterns",
                name if name.contains(".head.") => "heads",
                name if name.starts_with("seen.") || name.contains(".out_of_fold.") => "held_out",
                name if name.starts_with("fitted.") || name.contains(".background.") => "background",
                _ => "weights",
            };
            let mut hash = Hash::new();
            hash.value(&tensor.dtype.into());
            hash.value(&tensor.shape.into());
            hash.bytes(&tensor.data);
            add(part, name.clone(), hash.0);
        }
        for (part, path) in FIELDS {
            let path: Vec<&str> = path.split('.').collect();
            take(&mut header, &path, "", &mut |name, value| {
                let mut hash = Hash::new();
                hash.value(value);
                add(part, name, hash.0);
            })?;
        }
        Ok(Self { items, header })
    }

    /// For each of [`PARTS`] its digest, as 32 hexadecimal digits.
    pub fn digests(&self) -> BTreeMap<String, String> {
        let digest = |(part, items): (&&str, &BTreeMap<String, u128>)| {
            let mut hash = Hash::new();
            for (name, item) in items {
                hash.word(name);
                hash.bytes(&item.to_le_bytes());
            }
            ((*part).to_owned(), format!("{:032x}", hash.0))
        };
        self.items.iter().map(digest).collect()
    }

    /// The tensors and fields that differ from those of another model, with their part.
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let mut found = Vec::new();
        for (part, ours) in &self.items {
            let theirs = &other.items[part];
            let missing = theirs.keys().filter(|name| !ours.contains_key(*name));
            found.extend(missing.map(|name| format!("{part}: {name} is missing")));
            for (name, hash) in ours {
                match theirs.get(name) {
                    Some(other) if other == hash => {}
                    Some(_) => found.push(format!("{part}: {name} differs")),
                    None => found.push(format!("{part}: {name} is new")),
                }
            }
        }
        found
    }

    /// The fields of the header that differ: name, value of the other model, value of this one.
    pub fn header_differences(&self, other: &Self) -> Vec<String> {
        let (mut ours, mut theirs) = (BTreeMap::new(), BTreeMap::new());
        flatten(&self.header, "", &mut ours);
        flatten(&other.header, "", &mut theirs);
        let names: std::collections::BTreeSet<&String> = ours.keys().chain(theirs.keys()).collect();
        let show = |value: Option<&String>| value.map_or("absent".to_owned(), |text| text.chars().take(60).collect());
        let differing = names.into_iter().filter(|name| ours.get(*name) != theirs.get(*name));
        differing.map(|name| format!("{name}: {} -> {}", show(theirs.get(name)), show(ours.get(name)))).collect()
    }
}

/// A tensor, unpacked: how it is packed changes nothing.
fn plain(tensor: &Value, bytes: &[u8]) -> Option<Plain> {
    let dtype = *["U8", "U32", "F64"].iter().find(|dtype| tensor["dtype"] == **dtype)?;
    if dtype == "U8"
        && let Some(plain) = unpacked(bytes)
    {
        return Some(plain);
    }
    let shape = tensor["shape"].as_array()?.iter().map(|len| len.as_u64().map(|len| len as usize));
    Some(Plain { dtype, shape: shape.collect::<Option<_>>()?, data: bytes.to_vec() })
}

/// The bytes of a tensor of the container.
fn bytes<'a>(tensor: &Value, data: &'a [u8]) -> Option<&'a [u8]> {
    let offset = |at: usize| usize::try_from(tensor["data_offsets"][at].as_u64()?).ok();
    data.get(offset(0)?..offset(1)?)
}

/// Takes the values at a path out of a document and hands them to `add` with their names.
fn take(value: &mut Value, path: &[&str], name: &str, add: &mut dyn FnMut(String, &Value)) -> Result<(), String> {
    let Some((step, rest)) = path.split_first() else { return Ok(()) };
    if *step == "*" {
        let list = value.as_array_mut().ok_or_else(|| format!("{name} must be a list"))?;
        return list.iter_mut().enumerate().try_for_each(|(at, one)| take(one, rest, &format!("{name}.{at}"), add));
    }
    let may_be_null = step.ends_with('?');
    let key = step.trim_end_matches('?');
    let name = if name.is_empty() { key.to_owned() } else { format!("{name}.{key}") };
    let fields = value.as_object_mut().ok_or_else(|| format!("{name} must be in an object"))?;
    let missing = || format!("{name} is missing");
    if rest.is_empty() {
        let value = fields.remove(key).ok_or_else(missing)?;
        add(name, &value);
        return Ok(());
    }
    match fields.get_mut(key).ok_or_else(missing)? {
        Value::Null if may_be_null => Ok(()),
        inner => take(inner, rest, &name, add),
    }
}

/// All values of a document that are neither object nor list of objects, by their path.
fn flatten(value: &Value, name: &str, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Object(fields) => {
            for (key, value) in fields {
                flatten(value, &if name.is_empty() { key.clone() } else { format!("{name}.{key}") }, into);
            }
        }
        Value::Array(list) if list.iter().any(Value::is_object) => {
            for (at, value) in list.iter().enumerate() {
                flatten(value, &format!("{name}.{at}"), into);
            }
        }
        _ => {
            into.insert(name.to_owned(), value.to_string());
        }
    }
}

/// FNV-1a with 128 bits: it finds accidents, it does not stop forgers.
struct Hash(u128);

impl Hash {
    fn new() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }

    fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b);
        }
    }

    fn word(&mut self, word: &str) {
        self.bytes(&(word.len() as u64).to_le_bytes());
        self.bytes(word.as_bytes());
    }

    /// A value with its type; numbers by the bits of the `f64`, so that 1 and 1.0 are equal.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.word("null"),
            Value::Bool(is_true) => self.word(if *is_true { "true" } else { "false" }),
            Value::Number(number) => self.bytes(&number.as_f64().unwrap_or(f64::NAN).to_bits().to_le_bytes()),
            Value::String(text) => self.word(text),
            Value::Array(list) => {
                self.bytes(&(list.len() as u64).to_le_bytes());
                for value in list {
                    self.value(value);
                }
            }
            Value::Object(fields) => {
                self.bytes(&(fields.len() as u64).to_le_bytes());
                let fields: BTreeMap<&String, &Value> = fields.iter().collect();
                for (key, value) in fields {
                    self.word(key);
                    self.value(value);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// A model file with one entry, one pattern and three tensors of one byte each.
    fn file(change: impl FnOnce(&mut Value), tensors: [u8; 3]) -> Vec<u8> {
        let mut model = json!({
            "format": 1, "params": { "seed": 0 }, "complete": true, "metric": "auc", "chosen": 0,
            "seen": {}, "estimate": {}, "tasks": [], "vertex_labels": {}, "edge_labels": {},
            "patterns": [{ "code": [[0, 1, 0, 0, 0]], "class": {}, "support": 3, "by_class": [], "whole": null }],
            "entries": [{ "size": 1, "lambda": null, "before": null, "iterations": 2, "kept": 1,
                "stopped_by": "cap", "train": { "loss": 0.5 }, "valid": {}, "test": {}, "decision": {} }],
        });
        change(&mut model);
        let tensor = |at: usize| json!({ "dtype": "U8", "shape": [1], "data_offsets": [at, at + 1] });
        let container = json!({ "__metadata__": { "einsicht": model.to_string() },
            "entry.0.weights": tensor(0), "entry.0.head.linear": tensor(1), "entry.0.background.counts": tensor(2) })
        .to_string();
        [&(container.len() as u64).to_le_bytes()[..], container.as_bytes(), &tensors].concat()
    }

    fn read(change: impl FnOnce(&mut Value), tensors: [u8; 3]) -> ModelFile {
        ModelFile::read(&file(change, tensors)).unwrap()
    }

    #[test]
    fn a_change_is_found_in_its_part_and_in_no_other() {
        let base = read(|_| (), [1, 2, 3]);
        assert_eq!(base.digests().len(), PARTS.len());
        let changed = [
            ("weights", "entry.0.weights", read(|_| (), [7, 2, 3])),
            ("background", "entry.0.background.counts", read(|_| (), [1, 2, 7])),
            ("heads", "entry.0.head.linear", read(|_| (), [1, 7, 3])),
            ("patterns", "patterns.0.support", read(|model| model["patterns"][0]["support"] = json!(4), [1, 2, 3])),
            ("path", "entries.0.kept", read(|model| model["entries"][0]["kept"] = json!(2), [1, 2, 3])),
            ("metrics", "entries.0.train", read(|model| model["entries"][0]["train"]["loss"] = json!(0.25), [1, 2, 3])),
            ("labels", "tasks", read(|model| model["tasks"] = json!(["y"]), [1, 2, 3])),
            ("held_out", "seen", read(|model| model["seen"] = json!(5), [1, 2, 3])),
        ];
        for (part, name, other) in changed {
            let (ours, theirs) = (base.digests(), other.digests());
            let differing: Vec<&String> = ours.keys().filter(|part| ours[*part] != theirs[*part]).collect();
            assert_eq!(differing, [part]);
            assert_eq!(base.differences(&other), [format!("{part}: {name} differs")]);
        }
    }

    #[test]
    fn the_header_does_not_count_and_its_differences_are_listed() {
        let base = read(|_| (), [1, 2, 3]);
        let newer = |model: &mut Value| {
            model["format"] = json!(2);
            model["params"] = json!({ "seed": 0, "preset": "paper" });
        };
        let newer = read(newer, [1, 2, 3]);
        assert_eq!(newer.digests(), base.digests());
        assert_eq!(newer.header_differences(&base), ["format: 1 -> 2", "params.preset: absent -> \"paper\""]);
    }

    #[test]
    fn a_field_that_is_missing_is_named() {
        let without = file(|model| _ = model["entries"][0].as_object_mut().unwrap().remove("kept"), [1, 2, 3]);
        assert_eq!(ModelFile::read(&without).unwrap_err(), "entries.0.kept is missing");
        assert!(ModelFile::read(b"short").is_err());
        assert!(ModelFile::read(&without[..20]).is_err());
    }
}
