//! Products of small matrices in one order of sums: the hot loop of the graph network.
//!
//! Promise: every cell is the sum over the inner index in increasing order, starting from what the cell held, whatever
//! the blocks. So results do not depend on the block size.

/// The position of a dense layer among the parameters: one row of weights per input, then the
/// offsets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Matrix {
    pub at: usize,
    pub inputs: usize,
    pub outputs: usize,
}

impl Matrix {
    pub(super) const fn len(inputs: usize, outputs: usize) -> usize {
        (inputs + 1) * outputs
    }

    pub(super) const fn size(self) -> usize {
        Self::len(self.inputs, self.outputs)
    }

    pub(super) const fn end(self) -> usize {
        self.at + self.size()
    }

    /// Weights and offsets.
    pub(super) fn parts(self, parameters: &[f64]) -> (&[f64], &[f64]) {
        parameters[self.at..self.end()].split_at(self.inputs * self.outputs)
    }
}

/// Columns that one pass over the inner index adds up in registers.
const BLOCK: usize = 8;
/// Rows that use each value of the right matrix once it is read.
const ROWS: usize = 2;

/// Adds to `to` (`rows` x `columns`) the product of `left` (`rows` x `inner`, its cells `strides` apart) and `right`
/// (`inner` x `columns`). The first argument is `[rows, inner, columns]`.
pub(super) fn multiply_add(
    [rows, inner, columns]: [usize; 3],
    left: &[f64],
    strides: [usize; 2],
    right: &[f64],
    to: &mut [f64],
) {
    let mut done = 0;
    while done + ROWS <= rows {
        some_rows::<ROWS>([inner, columns], &left[done * strides[0]..], strides, right, &mut to[done * columns..]);
        done += ROWS;
    }
    for row in done..rows {
        some_rows::<1>([inner, columns], &left[row * strides[0]..], strides, right, &mut to[row * columns..]);
    }
}

/// The first `R` rows of the product.
fn some_rows<const R: usize>(
    [inner, columns]: [usize; 2],
    left: &[f64],
    strides: [usize; 2],
    right: &[f64],
    to: &mut [f64],
) {
    // HOT: nearly all of the time of a graph network.
    let blocked = columns - columns % BLOCK;
    for column in (0..blocked).step_by(BLOCK) {
        let mut sums = [[0.0; BLOCK]; R];
        for (row, sums) in sums.iter_mut().enumerate() {
            sums.copy_from_slice(&to[row * columns + column..][..BLOCK]);
        }
        for k in 0..inner {
            let cells = &right[k * columns + column..][..BLOCK];
            for (row, sums) in sums.iter_mut().enumerate() {
                let factor = left[row * strides[0] + k * strides[1]];
                for (sum, cell) in sums.iter_mut().zip(cells) {
                    *sum += factor * cell;
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            to[row * columns + column..][..BLOCK].copy_from_slice(sums);
        }
    }
    for column in blocked..columns {
        for row in 0..R {
            let sum = &mut to[row * columns + column];
            for k in 0..inner {
                *sum += left[row * strides[0] + k * strides[1]] * right[k * columns + column];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::random::Random;

    #[test]
    fn blocks_change_nothing() {
        let mut random = Random::new(5);
        for [rows, inner, columns] in [[1, 1, 1], [3, 2, 8], [4, 5, 19], [2, 7, 16]] {
            let mut numbers = |len: usize| (0..len).map(|_| random.normal()).collect::<Vec<f64>>();
            let (left, right, start) = (numbers(rows * inner), numbers(inner * columns), numbers(rows * columns));
            for turned in [false, true] {
                let strides = if turned { [1, rows] } else { [inner, 1] };
                let mut to = start.clone();
                multiply_add([rows, inner, columns], &left, strides, &right, &mut to);
                for at in 0..rows * columns {
                    let (row, column) = (at / columns, at % columns);
                    let term = |k: usize| left[row * strides[0] + k * strides[1]] * right[k * columns + column];
                    assert_eq!(to[at], (0..inner).fold(start[at], |sum, k| sum + term(k)));
                }
            }
        }
    }
}
