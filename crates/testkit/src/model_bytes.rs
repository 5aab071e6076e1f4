//! Model files taken apart and put together again, changed, with the right digest. Tensors are changed in their plain
//! form, whether the file packs them or not.

use crate::packed::{packed, unpacked};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView, serialize};
use serde_json::{Value, json};
use xxhash_rust::xxh3::xxh3_128;

/// Gives a changed file the digest of its content, so that only the rest of what is wrong with it can be noticed.
/// Nothing happens to what holds no digest.
pub fn seal(file: &mut [u8]) {
    let Ok((header, metadata)) = SafeTensors::read_metadata(file) else { return };
    let Some((start, end)) = metadata.info("digest").map(|digest| digest.data_offsets) else { return };
    let (start, end) = (8 + header + start, 8 + header + end);
    if end - start == 16 && end <= file.len() {
        let digest = xxh3_128(&[&file[..start], &file[end..]].concat());
        file[start..end].copy_from_slice(&digest.to_le_bytes());
    }
}

/// The JSON entry of a file.
///
/// # Panics
/// If there is none, or the file is no model.
pub fn header(file: &[u8]) -> Value {
    let (_, metadata) = SafeTensors::read_metadata(file).expect("a safetensors file");
    let text = &metadata.metadata().as_ref().expect("metadata")["einsicht"];
    serde_json::from_str(text).expect("JSON")
}

/// A tensor, unpacked.
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    /// Its name.
    pub name: String,
    /// Its shape.
    pub shape: Vec<usize>,
    /// Its bytes.
    pub data: Vec<u8>,
    /// Its kind.
    pub dtype: Dtype,
}

/// All tensors of a file but for the digest, unpacked, by name.
///
/// # Panics
/// If there is none, or the file is no model.
pub fn plain_tensors(file: &[u8]) -> Vec<Plain> {
    let tensors = SafeTensors::deserialize(file).expect("a safetensors file");
    let plain = |(name, view): (&str, TensorView<'_>)| {
        let name = name.to_owned();
        if view.dtype() != Dtype::U8 {
            return Plain { name, shape: view.shape().to_vec(), data: view.data().to_vec(), dtype: view.dtype() };
        }
        let tensor = unpacked(view.data()).expect("a packed tensor");
        let dtype = match tensor.dtype {
            "F64" => Dtype::F64,
            "U32" => Dtype::U32,
            _ => Dtype::U8,
        };
        Plain { name, shape: tensor.shape, data: tensor.data, dtype }
    };
    let mut all: Vec<Plain> = tensors.iter().filter(|(name, _)| *name != "digest").map(plain).collect();
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

/// The file of these tensors, with the right digest; lists of bytes are packed, as they always are.
///
/// # Panics
/// If there is none, or the file is no model.
pub fn file_of(tensors: &[Plain], header: &Value) -> Vec<u8> {
    let stored: Vec<(Vec<usize>, Vec<u8>)> = (tensors.iter())
        .map(|tensor| match tensor.dtype {
            Dtype::U8 => (vec![packed(&tensor.data).len()], packed(&tensor.data)),
            _ => (tensor.shape.clone(), tensor.data.clone()),
        })
        .collect();
    let views = tensors.iter().zip(&stored).map(|(tensor, (shape, data))| {
        (tensor.name.as_str(), TensorView::new(tensor.dtype, shape.clone(), data).expect("a tensor"))
    });
    let digest = ("digest", TensorView::new(Dtype::U8, vec![16], &[0; 16]).expect("a tensor"));
    let metadata = [("einsicht".to_owned(), header.to_string())];
    let mut file = serialize(views.chain([digest]), Some(metadata.into_iter().collect())).expect("a file");
    seal(&mut file);
    file
}

/// The file with another header and perhaps another tensor.
///
/// # Panics
/// If there is none, or the file is no model.
pub fn rewritten(file: &[u8], header: &Value, change: Option<(&str, Option<Vec<f64>>)>) -> Vec<u8> {
    let mut tensors = plain_tensors(file);
    if let Some((name, values)) = change {
        let at = tensors.iter().position(|tensor| tensor.name == name).expect("a tensor of that name");
        match values {
            None => drop(tensors.remove(at)),
            Some(values) => {
                let fits = tensors[at].shape.iter().product::<usize>() == values.len();
                let shape = if fits { tensors[at].shape.clone() } else { vec![values.len()] };
                let data = values.iter().flat_map(|v| v.to_le_bytes()).collect();
                tensors[at] = Plain { name: name.to_owned(), shape, data, dtype: Dtype::F64 };
            }
        }
    }
    file_of(&tensors, header)
}

/// The file with some bytes of a tensor changed.
///
/// # Panics
/// If there is none, or the file is no model.
pub fn with_bytes(file: &[u8], header: &Value, name: &str, change: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut tensors = plain_tensors(file);
    let tensor = tensors.iter_mut().find(|tensor| tensor.name == name).expect("a tensor of that name");
    change(&mut tensor.data);
    file_of(&tensors, header)
}

/// Places of all numbers, words, switches and lists of a header, as JSON pointers.
pub fn places(header: &Value) -> Vec<String> {
    let mut found = Vec::new();
    add_places(header, "", &mut found);
    found
}

fn add_places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                add_places(field, &format!("{at}/{}", name.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        Value::Array(items) => {
            found.push(at.to_owned());
            // Of long lists of numbers the first, one in the middle and the last.
            let is_long = items.len() > 6 && items.iter().all(Value::is_number);
            for (index, item) in items.iter().enumerate() {
                if !is_long || [0, items.len() / 2, items.len() - 1].contains(&index) {
                    add_places(item, &format!("{at}/{index}"), found);
                }
            }
        }
        _ => found.push(at.to_owned()),
    }
}

/// A number by one unit in the last place, a list by one entry, a word by a letter.
///
/// # Panics
/// If the value is an object, whose fields are changed one by one.
pub fn changed(value: &Value) -> Value {
    match value {
        Value::Null => json!(1),
        Value::Bool(switch) => json!(!switch),
        Value::Number(number) => match number.as_u64() {
            Some(whole) => json!(whole.wrapping_add(1)),
            None => json!(number.as_f64().unwrap_or(0.0).next_up()),
        },
        Value::String(word) => json!(format!("{word}x")),
        Value::Array(items) if items.is_empty() => json!([1]),
        Value::Array(items) => json!(items[1..]),
        Value::Object(_) => unreachable!("fields are changed one by one"),
    }
}
