//! Typed access to the tensors of a file, packed or not: names, kinds, shapes and finite numbers are checked.

pub(super) mod packed;

use super::ModelError;
use safetensors::{Dtype, SafeTensors};
use std::borrow::Cow;
use std::cell::Cell;

/// The tensors of a file.
pub(super) struct Tensors<'a> {
    all: &'a SafeTensors<'a>,
    /// Bytes that packed ones may still unpack to.
    left: Cell<usize>,
}

impl<'a> Tensors<'a> {
    /// Those of a file of this length.
    pub(super) fn new(all: &'a SafeTensors<'a>, file: usize) -> Self {
        Self { all, left: Cell::new(packed::most_unpacked(file)) }
    }

    /// A tensor of finite numbers with this shape.
    pub(super) fn f64(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, ModelError> {
        let data = self.data(name, Dtype::F64, Some(shape))?;
        let (words, _) = data.as_chunks::<8>();
        let values: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(ModelError::NotFinite { name: name.to_owned(), at }),
            None => Ok(values),
        }
    }

    /// Whether there is a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.all.tensor(name).is_ok()
    }

    /// A list of numbers of any length.
    pub(super) fn f64_list(&self, name: &str) -> Result<Vec<f64>, ModelError> {
        let data = self.data(name, Dtype::F64, None)?;
        Ok(data.as_chunks::<8>().0.iter().map(|word| f64::from_le_bytes(*word)).collect())
    }

    /// A list of whole numbers of any length.
    pub(super) fn u32(&self, name: &str) -> Result<Vec<u32>, ModelError> {
        let data = self.data(name, Dtype::U32, None)?;
        let (words, _) = data.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// A list of bytes of any length.
    pub(super) fn bytes(&self, name: &str) -> Result<Vec<u8>, ModelError> {
        Ok(self.data(name, Dtype::U8, None)?.into_owned())
    }

    fn data(&self, name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Result<Cow<'_, [u8]>, ModelError> {
        let refuse = |found: String| {
            let wanted = match shape {
                Some(shape) => format!("tensor {name} of {} with shape {shape:?}", kind(dtype)),
                None => format!("a list {name} of {}", kind(dtype)),
            };
            ModelError::Tensor { wanted, found }
        };
        let tensor = self.all.tensor(name).map_err(|_| refuse("it is missing".to_owned()))?;
        let (found, found_shape, data) = if tensor.dtype() == Dtype::U8 && tensor.shape().len() == 1 {
            let unpacked = packed::unpack(tensor.data(), self.left.get()).map_err(|why| refuse(why.to_owned()))?;
            self.left.set(self.left.get() - unpacked.data.len());
            (unpacked.dtype, unpacked.shape, Cow::Owned(unpacked.data))
        } else {
            (tensor.dtype(), tensor.shape().to_vec(), Cow::Borrowed(tensor.data()))
        };
        let fits = shape.map_or(found_shape.len() == 1, |shape| found_shape == shape);
        if found != dtype || !fits {
            return Err(refuse(format!("it is of {} with shape {found_shape:?}", kind(found))));
        }
        Ok(data)
    }
}

/// The name of a number type, as Rust and numpy write it.
fn kind(dtype: Dtype) -> String {
    format!("{dtype:?}").to_lowercase()
}
