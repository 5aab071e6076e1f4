//! A dense (fully connected) layer: every output is a weighted sum of the inputs plus an offset.
//!
//! The parameters of a layer are one slice: the weights, one row per output, then the offsets.
//! Rows of a batch are processed in order, so sums over graphs always run in increasing order.

use crate::forward::row_dedup::fill_rows;

/// Number of parameters of a layer.
pub const fn num_parameters(inputs: usize, outputs: usize) -> usize {
    (inputs + 1) * outputs
}

/// Computes `output = weights input + offsets` for every row of the batch. If `first` gives the first row with the
/// same input, its output is copied.
pub fn forward(
    parameters: &[f64],
    inputs: usize,
    outputs: usize,
    input: &[f64],
    first: Option<&[u32]>,
    output: &mut [f64],
) {
    let (weights, offsets) = parameters.split_at(inputs * outputs);
    fill_rows(output, outputs, first, |row, y| {
        let x = &input[row * inputs..][..inputs];
        for (o, y) in y.iter_mut().enumerate() {
            let mut sum = offsets[o];
            for (w, x) in weights[o * inputs..][..inputs].iter().zip(x) {
                sum += w * x;
            }
            *y = sum;
        }
    });
}

/// Adds to `gradient` the gradient of the loss with respect to the parameters, given that with respect to the
/// output, row after row.
pub(crate) fn add_gradient(
    inputs: usize,
    outputs: usize,
    input: &[f64],
    output_gradient: &[f64],
    gradient: &mut [f64],
) {
    let (weights, offsets) = gradient.split_at_mut(inputs * outputs);
    for (x, derivative) in input.chunks_exact(inputs).zip(output_gradient.chunks_exact(outputs)) {
        for (o, &derivative) in derivative.iter().enumerate() {
            for (w, x) in weights[o * inputs..][..inputs].iter_mut().zip(x) {
                *w += derivative * x;
            }
            offsets[o] += derivative;
        }
    }
}

/// Computes the gradient of the loss with respect to the input from that with respect to the output.
pub fn backward(
    parameters: &[f64],
    inputs: usize,
    outputs: usize,
    output_gradient: &[f64],
    input_gradient: &mut [f64],
) {
    for (derivative, back) in output_gradient.chunks_exact(outputs).zip(input_gradient.chunks_exact_mut(inputs)) {
        back.fill(0.0);
        for (o, &derivative) in derivative.iter().enumerate() {
            for (back, w) in back.iter_mut().zip(&parameters[o * inputs..][..inputs]) {
                *back += derivative * w;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layer_of_two_inputs_and_one_output_is_what_one_computes_by_hand() {
        let parameters = [2.0, -1.0, 0.5];
        let input = [1.0, 3.0, 0.0, 4.0];
        let mut output = [0.0; 2];
        forward(&parameters, 2, 1, &input, None, &mut output);
        assert_eq!(output, [-0.5, -3.5]);
        let mut gradient = [0.0; 3];
        add_gradient(2, 1, &input, &[10.0, 1.0], &mut gradient);
        assert_eq!(gradient, [10.0, 34.0, 11.0]);
        let mut back = [0.0; 4];
        backward(&parameters, 2, 1, &[10.0, 1.0], &mut back);
        assert_eq!(back, [20.0, -10.0, 2.0, -1.0]);
    }
}
