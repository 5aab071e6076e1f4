//! L-BFGS: minimises a smooth function. The prefit, polishing and the linear head use it.
//!
//! Promise: the value never rises, a step without a clear decrease (Armijo's condition) is not taken, and equal input
//! gives equal bits. Knows nothing of patterns or networks. Nothing is kept between calls, so a resumed training needs
//! no state of it. Not in the paper, which takes plain gradient steps.

/// Corrections (differences of points and gradients) that shape the next direction.
const MEMORY: usize = 10;
/// Armijo's constant: the fraction of the predicted decrease that a step must achieve.
const SUFFICIENT: f64 = 1e-4;
/// Halvings of the step size before a direction is given up.
const TRIALS: usize = 30;
/// Relative decrease below which the minimisation ends.
const TOLERANCE: f64 = 1e-13;

struct Correction {
    moved: Vec<f64>,
    change: Vec<f64>,
    /// `1 / (moved . change)`.
    scale: f64,
}

/// Makes at most `steps` steps from `point` and returns the value there. `evaluate(point, gradient)` returns the
/// value and fills in the gradient.
pub(crate) fn minimize(point: &mut [f64], steps: usize, mut evaluate: impl FnMut(&[f64], &mut [f64]) -> f64) -> f64 {
    let len = point.len();
    let (mut gradient, mut next_gradient) = (vec![0.0; len], vec![0.0; len]);
    let (mut direction, mut next) = (vec![0.0; len], vec![0.0; len]);
    let mut history: Vec<Correction> = Vec::with_capacity(MEMORY);
    let mut value = evaluate(point, &mut gradient);
    let mut taken = 0;
    while taken < steps {
        let derivative = descent_direction(&history, &gradient, &mut direction);
        let mut step = 1.0;
        if history.is_empty() {
            let length = dot(&gradient, &gradient).sqrt();
            step = if length > 1.0 { 1.0 / length } else { 1.0 };
        }
        let mut better = None;
        // Written so that a gradient that is zero or not a number ends the minimisation.
        if derivative < 0.0 {
            for _ in 0..TRIALS {
                for ((to, from), d) in next.iter_mut().zip(&*point).zip(&direction) {
                    *to = from + step * d;
                }
                let trial = evaluate(&next, &mut next_gradient);
                if trial <= value + SUFFICIENT * step * derivative && trial < value {
                    better = Some(trial);
                    break;
                }
                step *= 0.5;
            }
        }
        let Some(trial) = better else {
            if history.is_empty() {
                break;
            }
            history.clear(); // restart from steepest descent
            continue;
        };
        remember(&mut history, [point, &next], [&gradient, &next_gradient]);
        point.copy_from_slice(&next);
        std::mem::swap(&mut gradient, &mut next_gradient);
        let decrease = value - trial;
        value = trial;
        taken += 1;
        if decrease <= TOLERANCE * value.abs() {
            break;
        }
    }
    value
}

/// The two-loop recursion. Returns the directional derivative along the direction.
fn descent_direction(history: &[Correction], gradient: &[f64], direction: &mut [f64]) -> f64 {
    for (d, g) in direction.iter_mut().zip(gradient) {
        *d = -g;
    }
    let mut alphas = [0.0; MEMORY];
    for (alpha, pair) in alphas.iter_mut().zip(history).rev() {
        *alpha = pair.scale * dot(&pair.moved, direction);
        add(direction, -*alpha, &pair.change);
    }
    if let Some(last) = history.last() {
        let shrink = 1.0 / (last.scale * dot(&last.change, &last.change));
        for d in direction.iter_mut() {
            *d *= shrink;
        }
    }
    for (alpha, pair) in alphas.iter().zip(history) {
        let back = pair.scale * dot(&pair.change, direction);
        add(direction, alpha - back, &pair.moved);
    }
    dot(gradient, direction)
}

/// Adds the correction between two points and their gradients, if the curvature along it is positive.
fn remember(history: &mut Vec<Correction>, [from, to]: [&[f64]; 2], [before, after]: [&[f64]; 2]) {
    // The buffers of the oldest correction are reused.
    let mut pair = if history.len() == MEMORY {
        history.remove(0)
    } else {
        Correction { moved: vec![0.0; from.len()], change: vec![0.0; from.len()], scale: 0.0 }
    };
    for at in 0..from.len() {
        pair.moved[at] = to[at] - from[at];
        pair.change[at] = after[at] - before[at];
    }
    let curvature = dot(&pair.moved, &pair.change);
    if curvature > 1e-12 * dot(&pair.change, &pair.change) {
        pair.scale = 1.0 / curvature;
        history.push(pair);
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
