//! The backtracking loop of the matcher, for every form of candidate sets.
//!
//! Promise: with a source that yields, at each step, exactly the vertices that satisfy the step given the images
//! before, increasing, the loop shows each embedding once, in lexicographic order of the images. Tested through the
//! matcher, path by path, against the definition.

use super::plan::SearchPlan;
use crate::stop::Turns;

/// The candidates of each step of a plan.
pub(super) trait CandidateSource {
    /// Starts a step, given the images of the steps before.
    fn open(&mut self, plan: &SearchPlan, at: usize, images: &[u32]);
    /// The next candidate of a step.
    fn next(&mut self, plan: &SearchPlan, at: usize, images: &[u32]) -> Option<u32>;
    /// A vertex became an image.
    fn occupy(&mut self, vertex: u32);
    /// A vertex is no image any more.
    fn release(&mut self, vertex: u32);
}

/// Shows `visit` the embeddings, as images of the plan's steps, until it returns `true`; returns whether it did. The
/// first step is open, and `images` has an entry for each step.
// HOT: a few nanoseconds per turn, so it is compiled once per source, with everything inlined.
#[inline(always)]
pub(super) fn backtrack(
    source: &mut impl CandidateSource,
    plan: &SearchPlan,
    images: &mut [u32],
    visit: &mut impl FnMut(&[u32]) -> bool,
) -> bool {
    let last = plan.steps.len() - 1;
    let mut at = 0;
    let mut turns = Turns::begin();
    loop {
        turns.turn();
        let Some(vertex) = source.next(plan, at, images) else {
            if at == 0 {
                return false;
            }
            at -= 1;
            source.release(images[at]);
            continue;
        };
        images[at] = vertex;
        if at == last {
            if visit(&images[..=last]) {
                return true;
            }
            continue;
        }
        source.occupy(vertex);
        at += 1;
        source.open(plan, at, images);
    }
}
