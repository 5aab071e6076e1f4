//! Minimises a smooth function by L-BFGS: what prefit and polishing use between two selections.
//!
//! Promise: the value never rises, a step that is not clearly better is not taken, and equal input gives equal
//! bits. Knows nothing of patterns or networks. Nothing is kept between calls, so a resumed training needs no
//! memory of it. Not in the paper, which takes plain gradient steps.

/// Differences of points and gradients that shape the next direction.
const MEMORY: usize = 10;
/// Share of the promised decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;
/// Halvings before a direction is given up.
const TRIALS: usize = 30;
/// A relative decrease below this ends the work.
const ENOUGH: f64 = 1e-13;

struct Pair {
    moved: Vec<f64>,
    change: Vec<f64>,
    /// `1 / (moved . change)`.
    scale: f64,
}

/// Makes at most `steps` steps from `point` and returns the value there. `evaluate(point, gradient)` returns the
/// value and fills in the gradient.
pub fn minimize(point: &mut [f64], steps: usize, mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64) -> f64 {
    let len = point.len();
    let (mut gradient, mut next_gradient) = (vec![0.0; len], vec![0.0; len]);
    let (mut direction, mut next) = (vec![0.0; len], vec![0.0; len]);
    let mut pairs: Vec<Pair> = Vec::with_capacity(MEMORY);
    let mut value = evaluate(point, &mut gradient);
    let mut taken = 0;
    while taken < steps {
        let slope = aim(&pairs, &gradient, &mut direction);
        let mut step = 1.0;
        if pairs.is_empty() {
            let length = dot(&gradient, &gradient).sqrt();
            step = if length > 1.0 { 1.0 / length } else { 1.0 };
        }
        let mut better = None;
        // Asks whether the slope is good: a gradient that is zero or not a number ends the work.
        if slope < 0.0 {
            for _ in 0..TRIALS {
                for ((to, from), d) in next.iter_mut().zip(&*point).zip(&direction) {
                    *to = from + step * d;
                }
                let trial = evaluate(&next, &mut next_gradient);
                if trial <= value + SUFFICIENT * step * slope && trial < value {
                    better = Some(trial);
                    break;
                }
                step *= 0.5;
            }
        }
        let Some(trial) = better else {
            if pairs.is_empty() {
                break;
            }
            pairs.clear(); // the remembered shape misled us: once more, straight downhill
            continue;
        };
        remember(&mut pairs, point, &next, &gradient, &next_gradient);
        point.copy_from_slice(&next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        let decrease = value - trial;
        value = trial;
        taken += 1;
        if decrease <= ENOUGH * value.abs() {
            break;
        }
    }
    value
}

/// The two-loop recursion. Returns the slope along the direction.
fn aim(pairs: &[Pair], gradient: &[f64], direction: &mut [f64]) -> f64 {
    for (d, g) in direction.iter_mut().zip(gradient) {
        *d = -g;
    }
    let mut shares = [0.0; MEMORY];
    for (share, pair) in shares.iter_mut().zip(pairs).rev() {
        *share = pair.scale * dot(&pair.moved, direction);
        add(direction, -*share, &pair.change);
    }
    if let Some(last) = pairs.last() {
        let shrink = 1.0 / (last.scale * dot(&last.change, &last.change));
        for d in direction.iter_mut() {
            *d *= shrink;
        }
    }
    for (share, pair) in shares.iter().zip(pairs) {
        let back = pair.scale * dot(&pair.change, direction);
        add(direction, share - back, &pair.moved);
    }
    dot(gradient, direction)
}

fn remember(pairs: &mut Vec<Pair>, from: &[f64], to: &[f64], before: &[f64], after: &[f64]) {
    // The oldest pair gives its room to the new one.
    let mut pair = if pairs.len() == MEMORY {
        pairs.remove(0)
    } else {
        Pair { moved: vec![0.0; from.len()], change: vec![0.0; from.len()], scale: 0.0 }
    };
    for at in 0..from.len() {
        pair.moved[at] = to[at] - from[at];
        pair.change[at] = after[at] - before[at];
    }
    let curvature = dot(&pair.moved, &pair.change);
    if curvature > 1e-12 * dot(&pair.change, &pair.change) {
        pair.scale = 1.0 / curvature;
        pairs.push(pair);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + a * b)
}

fn add(to: &mut [f64], factor: f64, from: &[f64]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += factor * from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rosenbrock's valley, the usual hard case: least at (1, 1).
    fn valley(x: &[f64], gradient: &mut [f64]) -> f64 {
        let (a, b) = (1.0 - x[0], x[1] - x[0] * x[0]);
        gradient[0] = -2.0 * a - 400.0 * x[0] * b;
        gradient[1] = 200.0 * b;
        a * a + 100.0 * b * b
    }

    #[test]
    fn the_bottom_of_a_curved_valley_is_found_and_the_value_never_rises() {
        let mut least = f64::INFINITY;
        for steps in 0..80 {
            let mut point = [-1.2, 1.0];
            let value = minimize(&mut point, steps, valley);
            assert!(value <= least);
            least = value;
        }
        assert!(least < 1e-12);
    }

    #[test]
    fn a_point_that_cannot_be_bettered_stays_where_it_is() {
        let mut point = [1.0, 1.0];
        assert_eq!(minimize(&mut point, 10, valley), 0.0);
        assert_eq!(point, [1.0, 1.0]);
        let mut lost = [3.0];
        minimize(&mut lost, 10, |_, gradient| {
            gradient[0] = f64::NAN;
            f64::NAN
        });
        assert_eq!(lost, [3.0]);
    }
}
