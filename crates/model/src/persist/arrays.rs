//! The arrays of a model on their way into a file or out of one.
//!
//! [`through`](super::content::through) says once which arrays there are, for both ways: what goes into a file is
//! handed back as it was given, and what is given on the way out is of no account. Promise: what comes out has the kind
//! and the shape that were asked for, and finite numbers.

use super::packed::{self, most_unpacked};
use super::{KEY, ModelError, digest, refuse};
use rayon::prelude::*;
use safetensors::tensor::{TensorView, serialize};
use safetensors::{Dtype, SafeTensors};
use std::borrow::Cow;

/// Arrays by name.
pub(super) enum Arrays<'a> {
    /// Into a file.
    In(Vec<Array>),
    /// Out of a file.
    Out(Tensors<'a>),
}

impl Arrays<'_> {
    /// Finite numbers of this shape.
    pub(super) fn f64(&mut self, name: String, shape: &[usize], values: &[f64]) -> Result<Vec<f64>, ModelError> {
        let values = match self {
            Self::In(all) => {
                let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                all.push(Array { name: name.clone(), dtype: Dtype::F64, shape: shape.to_vec(), data });
                values.to_vec()
            }
            Self::Out(tensors) => {
                let data = tensors.data(&name, Dtype::F64, Some(shape))?;
                data.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect()
            }
        };
        match values.iter().position(|value| !value.is_finite()) {
            Some(at) => Err(ModelError::NotFinite { name, at }),
            None => Ok(values),
        }
    }

    /// A list of whole numbers.
    pub(super) fn u32(&mut self, name: String, values: Vec<u32>) -> Result<Vec<u32>, ModelError> {
        match self {
            Self::In(all) => {
                let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
                all.push(Array { name, dtype: Dtype::U32, shape: vec![values.len()], data });
                Ok(values)
            }
            Self::Out(tensors) => {
                let data = tensors.data(&name, Dtype::U32, None)?;
                Ok(data.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect())
            }
        }
    }

    /// A list of bytes.
    pub(super) fn bytes(&mut self, name: String, values: Vec<u8>) -> Result<Vec<u8>, ModelError> {
        match self {
            Self::In(all) => {
                all.push(Array { name, dtype: Dtype::U8, shape: vec![values.len()], data: values.clone() });
                Ok(values)
            }
            Self::Out(tensors) => tensors.data(&name, Dtype::U8, None).map(Cow::into_owned),
        }
    }

    /// The length of a list that goes in, or of that of a name that comes out; 0 if there is none.
    pub(super) fn len_of(&self, name: &str, given: usize) -> usize {
        let Self::Out(tensors) = self else { return given };
        tensors.all.tensor(name).map_or(0, |tensor| tensor.shape().first().copied().unwrap_or(0))
    }

    /// The file with these arrays and this text, if they went in.
    pub(super) fn to_file(&self, metadata: &str) -> Result<Vec<u8>, ModelError> {
        let Self::In(all) = self else { return Ok(Vec::new()) };
        let packed: Vec<Array> = all.par_iter().map(Array::packed).collect();
        let file = written(packed, metadata)?;
        if all.iter().map(|array| array.data.len()).sum::<usize>() <= most_unpacked(file.len()) {
            return Ok(file);
        }
        // What shrinks so much would not be read again.
        let is_list = |array: &&Array| array.dtype == Dtype::U8;
        written(
            all.iter().map(|array| if is_list(&array) { array.packed() } else { array.clone() }).collect(),
            metadata,
        )
    }

    /// Whether everything that a file holds came out of it.
    pub(super) fn check_that_all_came_out(&self) -> Result<(), ModelError> {
        let Self::Out(Tensors { all, taken, .. }) = self else { return Ok(()) };
        // The digest is none of the model's arrays.
        let (wanted, found) = (taken + 1, all.len());
        if wanted == found {
            return Ok(());
        }
        Err(ModelError::Tensor { wanted: format!("{wanted} tensors"), found: format!("it holds {found}") })
    }
}

/// An array to be written.
#[derive(Clone)]
pub(super) struct Array {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    data: Vec<u8>,
}

impl Array {
    /// Whether it holds weights, which stay plain, so that any tool reads them.
    fn is_weights(&self) -> bool {
        let last = self.name.rsplit('.').next().unwrap_or_default();
        let weights = ["weights", "bias", "network", "gnn", "linear", "share", "mean", "scale", "mean_beside"];
        weights.contains(&last) || ["patterns", "pairs", "means"].contains(&last)
    }

    /// The array in its packed form, if that is smaller.
    fn packed(&self) -> Self {
        match packed::pack(self.dtype, &self.shape, &self.data).filter(|_| !self.is_weights()) {
            Some(data) => Self { name: self.name.clone(), dtype: Dtype::U8, shape: vec![data.len()], data },
            None => self.clone(),
        }
    }
}

/// The file of these arrays, with its digest.
fn written(mut arrays: Vec<Array>, metadata: &str) -> Result<Vec<u8>, ModelError> {
    let (name, shape, data) = (digest::DIGEST.to_owned(), vec![digest::BYTES], vec![0; digest::BYTES]);
    arrays.push(Array { name, dtype: Dtype::U8, shape, data });
    let mut views = Vec::with_capacity(arrays.len());
    for Array { name, dtype, shape, data } in &arrays {
        views.push((name.as_str(), TensorView::new(*dtype, shape.clone(), data).map_err(|e| refuse(&e))?));
    }
    let metadata = [(KEY.to_owned(), metadata.to_owned())];
    let mut file = serialize(views, Some(metadata.into_iter().collect())).map_err(|e| refuse(&e))?;
    digest::seal(&mut file);
    Ok(file)
}

/// The tensors of a file.
pub(super) struct Tensors<'a> {
    all: SafeTensors<'a>,
    /// How many came out.
    taken: usize,
    /// Bytes that packed ones may still unpack to.
    left: usize,
}

impl<'a> Tensors<'a> {
    pub(super) fn of(file: &'a [u8]) -> Result<Self, ModelError> {
        let all = SafeTensors::deserialize(file).map_err(|e| refuse(&e))?;
        Ok(Self { all, taken: 0, left: most_unpacked(file.len()) })
    }

    fn data(&mut self, name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Result<Cow<'a, [u8]>, ModelError> {
        let refuse = |found: String| {
            let wanted = match shape {
                Some(shape) => format!("tensor {name} of {} with shape {shape:?}", kind(dtype)),
                None => format!("a list {name} of {}", kind(dtype)),
            };
            ModelError::Tensor { wanted, found }
        };
        let tensor = self.all.tensor(name).map_err(|_| refuse("it is missing".to_owned()))?;
        let (found, found_shape, data) = if tensor.dtype() == Dtype::U8 && tensor.shape().len() == 1 {
            let unpacked = packed::unpack(tensor.data(), self.left).map_err(|why| refuse(why.to_owned()))?;
            self.left -= unpacked.data.len();
            (unpacked.dtype, unpacked.shape, Cow::Owned(unpacked.data))
        } else {
            (tensor.dtype(), tensor.shape().to_vec(), Cow::Borrowed(tensor.data()))
        };
        let fits = shape.map_or(found_shape.len() == 1, |shape| found_shape == shape);
        if found != dtype || !fits {
            return Err(refuse(format!("it is of {} with shape {found_shape:?}", kind(found))));
        }
        self.taken += 1;
        Ok(data)
    }
}

/// The name of a number type, as Rust and numpy write it.
fn kind(dtype: Dtype) -> String {
    format!("{dtype:?}").to_lowercase()
}
