//! Replay of one step: from the state before it, scores *every* pattern and repeats the line search.
//!
//! Written from the definition and not from the trainer: all gradients, all ranks, a full sort at every step size.
//! Only the network behind the mining layer and the loss are shared with it.

use einsicht_graph::{DfsCode, Support};
use einsicht_model::Model;
use einsicht_model::features::join_columns;
use einsicht_model::forward::mining;
use einsicht_model::forward::network::Network;
use einsicht_model::heads::Table;
use einsicht_model::params::TrainParams;
use einsicht_model::task::Targets;
use einsicht_model::task::metrics::Metrics;
use einsicht_model::{BeforeStep, Iterate, PairWeights, PathEntry};
use einsicht_search::Competes;
use einsicht_search::bound::BLOCK_ROWS;
use einsicht_train::{AS_GOOD, ROUNDING, ease, step_sizes};
use std::collections::{BTreeMap, BTreeSet};

/// Every pattern with the training graphs that contain it and, if they are read, its counts.
pub(super) type Patterns = BTreeMap<DfsCode, (Vec<u32>, Vec<u32>)>;

/// The training set and the model, without the search.
pub(super) struct Recomputation<'a> {
    pub(super) model: &'a Model,
    pub(super) targets: &'a Targets,
    pub(super) weights: &'a [f64],
    pub(super) patterns: &'a Patterns,
    /// The network of the model over the training graphs.
    pub(super) network: Network,
    /// The summaries of the training graphs, if there are any.
    pub(super) summary: Vec<f64>,
}

/// The outcome of a replayed step.
pub(super) struct Replay {
    /// The first step size that lowers the loss enough.
    pub(super) step: Option<f64>,
    /// The active patterns after it.
    pub(super) chosen: BTreeSet<DfsCode>,
    /// Competitors that were scored.
    pub(super) scored: usize,
}

impl Recomputation<'_> {
    fn total_weight(&self) -> f64 {
        self.targets.total_weight(self.weights)
    }

    fn decay(&self) -> f64 {
        self.model.params.weight_decay * self.total_weight()
    }

    /// Outputs and mining-layer activations for these parameters.
    fn forward(&self, iterate: &Iterate) -> (Vec<f64>, einsicht_model::forward::network::Workspace) {
        let hidden = self.model.params.hidden;
        let mut sums = vec![0.0; self.targets.rows() * hidden];
        let mut patterns: Vec<_> = iterate.patterns.iter().collect();
        patterns.sort_by(|a, b| a.code.cmp_by_size(&b.code));
        for pattern in patterns {
            for (graph, value) in self.values_of(&pattern.code) {
                for (sum, w) in sums[graph * hidden..].iter_mut().zip(&pattern.weights) {
                    *sum += w * value;
                }
            }
        }
        for pair in &iterate.pairs {
            let contains = |of: usize| self.patterns.get(&pair.codes[of]).map_or(&[][..], |(graphs, _)| graphs);
            for (graph, sums) in sums.chunks_exact_mut(hidden).enumerate() {
                let present = [0, 1].map(|of| contains(of).binary_search(&(graph as u32)).is_ok());
                for (sum, w) in sums.iter_mut().zip(&pair.weights) {
                    *sum += w * PairWeights::value(pair.means, present);
                }
            }
        }
        let mut h = vec![0.0; sums.len()];
        mining::add_bias(&sums, &iterate.bias, &mut h);
        self.model.params.activation.apply(&h, &mut sums);
        let network = &self.network;
        let mut workspace = network.workspace(self.targets.rows());
        network.forward(&iterate.network, &sums, &mut workspace);
        (sums, workspace)
    }

    fn loss(&self, iterate: &Iterate) -> f64 {
        let (_, workspace) = self.forward(iterate);
        let data_loss = self.targets.loss(workspace.output(), self.weights);
        data_loss + 0.5 * self.decay() * iterate.squares()
    }

    /// Gradients of the data loss: with respect to the sums of the mining layer and to the network.
    fn gradients(&self, iterate: &Iterate) -> (Vec<f64>, Vec<f64>) {
        let (hidden, mut workspace) = self.forward(iterate);
        let (output, gradients) = workspace.output_and_gradient();
        self.targets.loss_and_gradient(output, self.weights, gradients);
        let network = &self.network;
        let (mut gradient, mut delta) = (vec![0.0; network.num_parameters()], vec![0.0; hidden.len()]);
        network.backward(&iterate.network, &hidden, &mut workspace, &mut gradient, Some(&mut delta));
        for (derivative, &value) in delta.iter_mut().zip(&hidden) {
            *derivative *= self.model.params.activation.derivative_at_value(value);
        }
        (delta, gradient)
    }

    /// Where a pattern occurs, and its value there.
    fn values_of(&self, code: &DfsCode) -> Vec<(usize, f64)> {
        let Some((graphs, counts)) = self.patterns.get(code) else { return Vec::new() };
        let support = Support::detached(graphs.clone(), counts.clone());
        self.model.params.values().column(&support).cells().collect()
    }

    /// `grad_H`: positive products of delta and value in order, plus negative ones in order, both block by block.
    fn gradient(&self, delta: &[f64], code: &DfsCode) -> Vec<f64> {
        let values = self.values_of(code);
        let hidden = self.model.params.hidden;
        let unit = |k: usize| {
            let of = |&(graph, value): &(usize, f64)| delta[graph * hidden + k] * value;
            let sum = |keep: fn(&f64) -> bool| {
                let blocks = values.chunk_by(|a, b| a.0 / BLOCK_ROWS == b.0 / BLOCK_ROWS);
                let of_block = |block: &[(usize, f64)]| block.iter().map(of).filter(keep).fold(0.0, |sum, d| sum + d);
                blocks.map(of_block).fold(0.0, |sum, of_block| sum + of_block)
            };
            sum(|d| *d > 0.0) + sum(|d| *d < 0.0)
        };
        (0..hidden).map(unit).collect()
    }

    /// Repeats the step with every pattern as a candidate.
    pub(super) fn replay(&self, before: &BeforeStep) -> Replay {
        let params = &self.model.params;
        let old = &before.iterate;
        let zero = vec![0.0; params.hidden];
        let mut competitors = self.scored(old, &zero);
        let scored = competitors.len();
        let decay = self.decay();
        let loss_before = self.loss(old);
        if let Some(lambda) = before.lambda {
            return self.replay_with_penalty(&mut competitors, before, lambda);
        }
        if params.judged_candidates() > 0 {
            self.judge_shortlist(&mut competitors, before);
        }
        for step in step_sizes(params, self.total_weight()) {
            for competitor in &mut competitors {
                competitor.rank = if params.require.contains(competitor.code) || old.is_paired(competitor.code) {
                    f64::INFINITY
                } else if competitor.active {
                    norm(competitor.moved(decay, step)) / step
                } else {
                    norm(competitor.gradient.iter().copied())
                };
            }
            competitors.sort_by(|a, b| b.rank.total_cmp(&a.rank).then_with(|| a.code.cmp_by_size(b.code)));
            let mut chosen = Vec::new();
            for competitor in competitors.iter().take(before.size) {
                let weights: Vec<f64> = competitor.moved(decay, step).collect();
                if competitor.rank == f64::INFINITY || weights.iter().any(|w| *w != 0.0) {
                    chosen.push(einsicht_model::PatternWeights { code: competitor.code.clone(), weights });
                }
            }
            chosen.sort_by(|a, b| a.code.cmp_by_size(&b.code));
            let new = Iterate { patterns: chosen, ..old.clone() };
            let mut union: Vec<&Competitor<'_>> = competitors
                .iter()
                .enumerate()
                .filter(|(at, competitor)| *at < before.size || competitor.active)
                .map(|(_, r)| r)
                .collect();
            union.sort_by(|a, b| a.code.cmp_by_size(b.code));
            let squares = union.iter().fold(0.0, |sum, competitor| sum + competitor.full_gradient_squares(decay));
            let wanted = params.armijo * (1.0 - params.step_shrink) * step / 2.0 * squares;
            if loss_before - self.loss(&new) >= wanted {
                let chosen = new.patterns.into_iter().map(|p| p.code).collect();
                return Replay { step: Some(step), chosen, scored };
            }
        }
        Replay { step: None, chosen: old.patterns.iter().map(|p| p.code.clone()).collect(), scored }
    }

    /// All competitors with their gradients; the weights of those that are not active are `zero`.
    fn scored<'c>(&'c self, old: &'c Iterate, zero: &'c [f64]) -> Vec<Competitor<'c>> {
        let (delta, _) = self.gradients(old);
        let weights_of: BTreeMap<&DfsCode, &[f64]> = old.patterns.iter().map(|p| (&p.code, &p.weights[..])).collect();
        let one = |code| {
            let weights = weights_of.get(code).copied();
            let gradient = self.gradient(&delta, code);
            Competitor { code, gradient, weights: weights.unwrap_or(zero), active: weights.is_some(), rank: 0.0 }
        };
        self.competitors().into_iter().map(one).collect()
    }

    /// How many competitors there are, and how many of the chosen that were not active before have too many ahead of
    /// them to be on the shortlist. Holds for any list of competitors that has the chosen: more of them can only be
    /// ahead.
    pub(super) fn outranked<'c>(
        &self,
        before: &BeforeStep,
        chosen: impl Iterator<Item = &'c DfsCode>,
    ) -> (usize, usize) {
        let (params, old) = (&self.model.params, &before.iterate);
        let zero = vec![0.0; params.hidden];
        let mut competitors = self.scored(old, &zero);
        self.rank_for_shortlist(&mut competitors, old);
        let ranks: BTreeMap<&DfsCode, f64> = competitors.iter().map(|one| (one.code, one.rank)).collect();
        let places = before.size + params.judged_candidates();
        let is_outranked = |rank: f64| ranks.values().filter(|other| **other > rank).count() >= places;
        let entrants = chosen.filter(|code| old.patterns.iter().all(|active| active.code != **code));
        let outranked = entrants.filter(|code| ranks.get(code).is_none_or(|rank| is_outranked(*rank))).count();
        (competitors.len(), outranked)
    }

    fn rank_for_shortlist(&self, competitors: &mut [Competitor<'_>], old: &Iterate) {
        let params = &self.model.params;
        let steps = step_sizes(params, self.total_weight());
        for competitor in competitors {
            let at = |step: &f64| norm(competitor.moved(self.decay(), *step)) / step;
            competitor.rank = match competitor.active {
                true if params.require.contains(competitor.code) || old.is_paired(competitor.code) => f64::INFINITY,
                true => steps.iter().map(at).fold(f64::INFINITY, f64::min),
                false => norm(competitor.gradient.iter().copied()),
            };
        }
    }

    /// Removes the inactive competitors but the few that promise the largest fall of the loss, among those with the
    /// largest gradients.
    fn judge_shortlist(&self, competitors: &mut Vec<Competitor<'_>>, before: &BeforeStep) {
        let (params, old) = (&self.model.params, &before.iterate);
        self.rank_for_shortlist(competitors, old);
        let mut ranks: Vec<f64> = competitors.iter().map(|competitor| competitor.rank).collect();
        ranks.sort_by(|a, b| b.total_cmp(a));
        let least = ranks.get(before.size + params.judged_candidates() - 1).copied().unwrap_or(f64::NEG_INFINITY);
        competitors.retain(|competitor| competitor.active || competitor.rank >= least);
        let (_, workspace) = self.forward(old);
        let curvatures = self.targets.curvatures(workspace.output(), self.weights);
        let places = before.size.saturating_sub(old.patterns.len());
        let mut left: Vec<&Competitor<'_>> = competitors.iter().filter(|competitor| !competitor.active).collect();
        let mut entrants: Vec<&Competitor<'_>> = Vec::new();
        while entrants.len() < places && !left.is_empty() {
            let promise = |competitor: &&Competitor<'_>| self.promise_beside(&entrants, competitor, &curvatures);
            let mut judged: Vec<(f64, usize)> = left.iter().map(promise).zip(0..).collect();
            judged.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| left[a.1].code.cmp_by_size(left[b.1].code)));
            if judged[0].0 == 0.0 && !entrants.is_empty() {
                break;
            }
            let good = judged[0].0 * AS_GOOD;
            let mut as_good: Vec<usize> = judged.iter().filter(|one| one.0 >= good).map(|one| one.1).collect();
            if !entrants.is_empty() {
                as_good.sort_by(|&a, &b| left[a].code.cmp_by_size(left[b].code));
            }
            let easiest = as_good.into_iter().min_by_key(|&at| ease(left[at].code)).unwrap_or(0);
            entrants.push(left.remove(easiest));
        }
        let entering: BTreeSet<DfsCode> = entrants.iter().map(|competitor| competitor.code.clone()).collect();
        competitors.retain(|competitor| competitor.active || entering.contains(competitor.code));
    }

    /// Twice the fall of the quadratic model of the loss that the weights of a competitor add to that of some entrants:
    /// what elimination of theirs leaves.
    fn promise_beside(&self, entrants: &[&Competitor<'_>], competitor: &Competitor<'_>, curvatures: &[f64]) -> f64 {
        if entrants.is_empty() {
            return self.promise(competitor, curvatures);
        }
        let columns: Vec<&Competitor<'_>> = entrants.iter().copied().chain([competitor]).collect();
        let of_unit = |k: usize| {
            let mut system: Vec<Vec<f64>> = Vec::new();
            for (row, one) in columns.iter().enumerate() {
                let decay = |column: usize| if row == column { self.decay() } else { 0.0 };
                let others = columns.iter().enumerate();
                let bends =
                    others.map(|(column, other)| self.common_curvature(one, other, k, curvatures) + decay(column));
                system.push(bends.chain([one.gradient[k]]).collect());
            }
            let alone: Vec<f64> = (0..columns.len()).map(|at| system[at][at]).collect();
            for pivot in 0..entrants.len() {
                if system[pivot][pivot] > ROUNDING * alone[pivot] {
                    let (above, below) = system.split_at_mut(pivot + 1);
                    for row in below {
                        let factor = row[pivot] / above[pivot][pivot];
                        row.iter_mut().zip(&above[pivot]).for_each(|(value, of_pivot)| *value -= factor * of_pivot);
                    }
                }
            }
            let (curvature, gradient) = (system[entrants.len()][entrants.len()], system[entrants.len()][columns.len()]);
            if curvature > ROUNDING * alone[entrants.len()] { gradient * gradient / curvature } else { 0.0 }
        };
        (0..self.model.params.hidden).map(of_unit).fold(0.0, |sum, part| sum + part)
    }

    /// The second derivative of the loss by the weights of two competitors, with the bias free.
    fn common_curvature(&self, one: &Competitor<'_>, other: &Competitor<'_>, k: usize, curvatures: &[f64]) -> f64 {
        let bend = |graph: usize| curvatures[graph * self.model.params.hidden + k];
        let of_other: BTreeMap<usize, f64> = self.values_of(other.code).into_iter().collect();
        let values = self.values_of(one.code);
        let product =
            |&(graph, value): &(usize, f64)| bend(graph) * value * of_other.get(&graph).copied().unwrap_or(0.0);
        let first = |values: &mut dyn Iterator<Item = (usize, f64)>| {
            values.map(|(graph, value)| bend(graph) * value).sum::<f64>()
        };
        let firsts =
            first(&mut values.iter().copied()) * first(&mut of_other.iter().map(|(&graph, &value)| (graph, value)));
        let total: f64 = (0..self.targets.rows()).map(bend).sum();
        values.iter().map(product).sum::<f64>() - if total > 0.0 { firsts / total } else { 0.0 }
    }

    /// `grad_H^2 / curvature`, with the bias free.
    fn promise(&self, competitor: &Competitor<'_>, curvatures: &[f64]) -> f64 {
        let (units, values) = (self.model.params.hidden, self.values_of(competitor.code));
        let of_unit = |k: usize| {
            let bend = |graph: usize| curvatures[graph * units + k];
            let first = values.iter().fold(0.0, |sum, &(graph, value)| sum + bend(graph) * value);
            let second = values.iter().fold(0.0, |sum, &(graph, value)| sum + bend(graph) * value * value);
            let total = (0..self.targets.rows()).fold(0.0, |sum, graph| sum + bend(graph));
            let free = if total > 0.0 { first * first / total } else { 0.0 };
            let curvature = second - free + self.decay();
            if curvature > 0.0 { competitor.gradient[k] * competitor.gradient[k] / curvature } else { 0.0 }
        };
        (0..units).map(of_unit).fold(0.0, |sum, part| sum + part)
    }

    /// The same with a penalty: every pattern whose rank is above it stays, shrunk.
    fn replay_with_penalty(&self, competitors: &mut [Competitor<'_>], before: &BeforeStep, lambda: f64) -> Replay {
        let (params, old, decay) = (&self.model.params, &before.iterate, self.decay());
        let scored = competitors.len();
        competitors.sort_by(|a, b| a.code.cmp_by_size(b.code));
        let penalty = |iterate: &Iterate| iterate.penalty(&iterate.penalties(lambda, &params.require));
        let loss_before = self.loss(old) + penalty(old);
        for step in step_sizes(params, self.total_weight()) {
            let (mut chosen, mut change) = (Vec::new(), 0.0);
            for competitor in &mut *competitors {
                competitor.rank = if competitor.active {
                    norm(competitor.moved(decay, step)) / step
                } else {
                    norm(competitor.gradient.iter().copied())
                };
                let pinned = params.require.contains(competitor.code);
                let shortened =
                    if competitor.rank > lambda { (competitor.rank - lambda) / competitor.rank } else { 0.0 };
                let left = if pinned { 1.0 } else { shortened };
                let weights: Vec<f64> = competitor.moved(decay, step).map(|w| w * left).collect();
                if competitor.active || left > 0.0 {
                    change =
                        weights.iter().zip(competitor.weights).fold(change, |sum, (w, from)| sum + (w - from).powi(2));
                }
                if pinned || weights.iter().any(|w| *w != 0.0) {
                    chosen.push(einsicht_model::PatternWeights { code: competitor.code.clone(), weights });
                }
            }
            let new = Iterate { patterns: chosen, ..old.clone() };
            let wanted = params.armijo / (2.0 * step) * change;
            if self.loss(&new) + penalty(&new) <= loss_before - wanted {
                let chosen = new.patterns.into_iter().map(|p| p.code).collect();
                return Replay { step: Some(step), chosen, scored };
            }
        }
        Replay { step: None, chosen: old.patterns.iter().map(|p| p.code.clone()).collect(), scored }
    }

    /// How far a linear model with a penalty is from its optimality conditions over *all* patterns: the largest
    /// violation of `norm(grad_H) <= lambda` (inactive), of `grad_H + lambda beta_H / norm(beta_H) = 0` (active)
    /// and of a zero gradient of the bias.
    pub(super) fn violation(&self, iterate: &Iterate, lambda: f64) -> f64 {
        let (delta, _) = self.gradients(iterate);
        let weights_of: BTreeMap<&DfsCode, &Vec<f64>> =
            iterate.patterns.iter().map(|p| (&p.code, &p.weights)).collect();
        let mut bias = vec![0.0; iterate.bias.len()];
        mining::bias_gradient(&delta, &mut bias);
        let mut most = norm(bias.into_iter());
        for code in self.competitors() {
            let gradient = self.gradient(&delta, code);
            let left = match weights_of.get(code) {
                None => norm(gradient.into_iter()) - lambda,
                Some(weights) => {
                    let free = self.model.params.require.contains(code);
                    let pull = if free { 0.0 } else { lambda / norm(weights.iter().copied()) };
                    let full = |(g, w): (&f64, &f64)| g + self.decay() * w + pull * w;
                    norm(gradient.iter().zip(*weights).map(full))
                }
            };
            most = most.max(left);
        }
        most
    }

    /// The candidates: every pattern, or of each support one that is required, else the simplest; none that is
    /// excluded or has the support of an excluded one.
    fn competitors(&self) -> Vec<&DfsCode> {
        let TrainParams { exclude, require, unit, .. } = &self.model.params;
        let banned: Vec<_> = exclude.iter().filter_map(|code| self.patterns.get(code)).collect();
        let allowed = self.patterns.iter().filter(|(_, support)| !banned.contains(support));
        if *unit == Competes::Pattern {
            return allowed.map(|(code, _)| code).collect();
        }
        let mut simplest: BTreeMap<&(Vec<u32>, Vec<u32>), &DfsCode> = BTreeMap::new();
        for (code, support) in allowed {
            let kept = simplest.entry(support).or_insert(code);
            let simpler = code.cmp_by_size(kept).is_lt() && !require.contains(kept);
            if simpler || require.contains(code) {
                *kept = code;
            }
        }
        simplest.into_values().collect()
    }

    /// Norms of the gradient with respect to `beta` of the active patterns, `b` and the network: all zero at a
    /// stationary point.
    pub(super) fn gradient_norms(&self, iterate: &Iterate) -> [f64; 3] {
        let (delta, network) = self.gradients(iterate);
        let decay = self.decay();
        let mut patterns = 0.0;
        for pattern in &iterate.patterns {
            for (g, w) in self.gradient(&delta, &pattern.code).iter().zip(&pattern.weights) {
                patterns += (g + decay * w).powi(2);
            }
        }
        let mut bias = vec![0.0; iterate.bias.len()];
        mining::bias_gradient(&delta, &mut bias);
        let network = network.iter().zip(&iterate.network).map(|(g, w)| g + decay * w);
        [patterns.sqrt(), norm(bias.into_iter()), norm(network)]
    }

    /// Metrics of an entry on the training set, from the listed values: by its head, or by the network.
    pub(super) fn metrics(&self, entry: usize) -> Metrics {
        let PathEntry { iterate, head, decision, .. } = &self.model.entries[entry];
        let outputs = match head {
            None => self.forward(iterate).1.output().to_vec(),
            Some(head) => {
                let (rows, columns) = (self.targets.rows(), iterate.patterns.len());
                let mut values = vec![0.0; rows * columns];
                for (column, pattern) in iterate.patterns.iter().enumerate() {
                    for (row, value) in self.values_of(&pattern.code) {
                        values[row * columns + column] = value;
                    }
                }
                let mut table = Vec::with_capacity(values.len() + self.summary.len());
                join_columns(&values, &self.summary, rows, &mut table);
                head.outputs(Table { values: &table, rows })
            }
        };
        einsicht_model::task::metrics::metrics_of_decision(&self.model.tasks, self.targets, &outputs, decision)
    }
}

struct Competitor<'a> {
    code: &'a DfsCode,
    gradient: Vec<f64>,
    weights: &'a [f64],
    active: bool,
    rank: f64,
}

impl Competitor<'_> {
    /// The column after the step.
    fn moved(&self, decay: f64, step: f64) -> impl Iterator<Item = f64> + '_ {
        self.weights.iter().zip(&self.gradient).map(move |(w, g)| w - step * (g + decay * w))
    }

    fn full_gradient_squares(&self, decay: f64) -> f64 {
        self.weights.iter().zip(&self.gradient).fold(0.0, |sum, (w, g)| sum + (g + decay * w).powi(2))
    }
}

fn norm(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |sum, v| sum + v * v).sqrt()
}
