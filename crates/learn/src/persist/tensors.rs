//! Typed access to the tensors of a file: names, kinds, shapes and finite numbers are checked.

use super::ModelError;
use safetensors::{Dtype, SafeTensors};

/// The tensors of a file.
pub(super) struct Tensors<'a>(pub(super) &'a SafeTensors<'a>);

impl Tensors<'_> {
    /// A tensor of finite numbers with this shape.
    pub(super) fn f64(&self, name: &str, shape: &[usize]) -> Result<Vec<f64>, ModelError> {
        let (words, _) = self.data(name, Dtype::F64, Some(shape))?.as_chunks::<8>();
        let values: Vec<f64> = words.iter().map(|word| f64::from_le_bytes(*word)).collect();
        match values.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(ModelError::NotFinite { name: name.to_owned(), at }),
            None => Ok(values),
        }
    }

    /// A list of whole numbers of any length.
    pub(super) fn u32(&self, name: &str) -> Result<Vec<u32>, ModelError> {
        let (words, _) = self.data(name, Dtype::U32, None)?.as_chunks::<4>();
        Ok(words.iter().map(|word| u32::from_le_bytes(*word)).collect())
    }

    /// A list of so many bytes.
    pub(super) fn u8(&self, name: &str, len: usize) -> Result<Vec<u8>, ModelError> {
        Ok(self.data(name, Dtype::U8, Some(&[len]))?.to_vec())
    }

    fn data(&self, name: &str, dtype: Dtype, shape: Option<&[usize]>) -> Result<&[u8], ModelError> {
        let wanted = || match shape {
            Some(shape) => format!("tensor {name} of {} with shape {shape:?}", kind(dtype)),
            None => format!("a list {name} of {}", kind(dtype)),
        };
        let Ok(tensor) = self.0.tensor(name) else {
            return Err(ModelError::Tensor { wanted: wanted(), found: "it is missing".to_owned() });
        };
        let fits = shape.map_or(tensor.shape().len() == 1, |shape| tensor.shape() == shape);
        if tensor.dtype() != dtype || !fits {
            let found = format!("it is of {} with shape {:?}", kind(tensor.dtype()), tensor.shape());
            return Err(ModelError::Tensor { wanted: wanted(), found });
        }
        Ok(tensor.data())
    }
}

/// The name of a number type, as Rust and numpy write it.
fn kind(dtype: Dtype) -> String {
    format!("{dtype:?}").to_lowercase()
}
