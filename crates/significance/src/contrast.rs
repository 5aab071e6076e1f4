//! How large an association is: the target with and without a subgraph, and the difference with its interval.

use crate::Response;
use einsicht_graph::Support;

/// Half the width of a 95 % interval, in standard deviations.
const Z: f64 = 1.959_963_984_540_054;

/// The target of graphs with a subgraph and of those without it: the share of a class, or the mean of numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contrast {
    /// In graphs with the subgraph.
    pub with: f64,
    /// In the others; nothing if there are none.
    pub without: Option<f64>,
    /// 95 % interval of the difference, for this subgraph alone: it is not widened for all that were searched, so for a
    /// subgraph that was found it is too optimistic. Newcombe's for shares, Welch's for means; nothing where one side
    /// has too few graphs.
    pub interval: Option<(f64, f64)>,
}

impl Contrast {
    /// That of a support; `target` is the class that is tested against the rest.
    pub fn of(response: &Response, target: Option<u32>, support: &Support) -> Self {
        let value = |graph: usize| match response {
            Response::Classes { of, .. } => f64::from(u8::from(Some(of[graph]) == target)),
            Response::Numbers(values) => values[graph],
        };
        let (mut with, mut without) = (Side::default(), Side::default());
        let mut inside = support.graphs().iter().peekable();
        for graph in 0..response.len() {
            let is_inside = inside.next_if(|&&next| next as usize == graph).is_some();
            if is_inside { &mut with } else { &mut without }.add(value(graph));
        }
        let interval = match response {
            Response::Classes { .. } => newcombe(&with, &without),
            Response::Numbers(_) => welch(&with, &without),
        };
        Self { with: with.mean, without: (without.number > 0.0).then_some(without.mean), interval }
    }

    /// The difference, if there are graphs on both sides.
    pub fn difference(&self) -> Option<f64> {
        self.without.map(|without| self.with - without)
    }
}

/// Graphs on one side.
#[derive(Default)]
struct Side {
    number: f64,
    mean: f64,
    /// Sum of squared differences from the mean.
    squares: f64,
}

impl Side {
    fn add(&mut self, value: f64) {
        self.number += 1.0;
        let away = value - self.mean;
        self.mean += away / self.number;
        self.squares += away * (value - self.mean);
    }

    /// Wilson's interval of a share.
    fn wilson(&self) -> (f64, f64) {
        let (n, p) = (self.number, self.mean);
        let middle = p + Z * Z / (2.0 * n);
        let half = Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + Z * Z / n;
        ((middle - half) / scale, (middle + half) / scale)
    }
}

fn newcombe(with: &Side, without: &Side) -> Option<(f64, f64)> {
    if with.number < 1.0 || without.number < 1.0 {
        return None;
    }
    let ((low_a, high_a), (low_b, high_b)) = (with.wilson(), without.wilson());
    let (a, b) = (with.mean, without.mean);
    let difference = a - b;
    Some((difference - (a - low_a).hypot(high_b - b), difference + (high_a - a).hypot(b - low_b)))
}

fn welch(with: &Side, without: &Side) -> Option<(f64, f64)> {
    if with.number < 2.0 || without.number < 2.0 {
        return None;
    }
    let variance = |side: &Side| side.squares / (side.number - 1.0) / side.number;
    let half = Z * (variance(with) + variance(without)).sqrt();
    let difference = with.mean - without.mean;
    Some((difference - half, difference + half))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_newcombes_and_welchs() {
        // Newcombe (1998), example (a) of table II: 56 of 70 against 48 of 80, 0.0524 to 0.3339.
        let of = (0..150).map(|at| u32::from(at < 56 || (70..118).contains(&at))).collect();
        let response = Response::Classes { of, count: 2 };
        let support = Support::detached((0..70).collect(), Vec::new());
        let contrast = Contrast::of(&response, Some(1), &support);
        assert!((contrast.difference().unwrap() - 0.2).abs() < 1e-12);
        let (low, high) = contrast.interval.unwrap();
        assert!((low - 0.0524).abs() < 5e-5 && (high - 0.3339).abs() < 5e-5, "{low} {high}");

        let numbers = Response::Numbers(vec![1.0, 2.0, 3.0, 7.0, 9.0]);
        let contrast = Contrast::of(&numbers, None, &Support::detached(vec![0, 1, 2], Vec::new()));
        assert_eq!((contrast.with, contrast.without), (2.0, Some(8.0)));
        let (low, high) = contrast.interval.unwrap();
        let half = Z * (1.0_f64 / 3.0 + 1.0).sqrt();
        assert!((low - (-6.0 - half)).abs() < 1e-12 && (high - (-6.0 + half)).abs() < 1e-12);
        let all = Contrast::of(&numbers, None, &Support::detached((0..5).collect(), Vec::new()));
        assert_eq!((all.without, all.difference(), all.interval), (None, None, None));
    }
}
