//! Explanations as JSON.

use super::super::show::effects_json;
use super::{Explanation, Method};
use einsicht::explain::{Attribution, MOST_OCCURRENCES, MemberSpread, Over, PatternLocator, spread};
use einsicht::forest::Tree;
use einsicht::graph::matching::{Occurrence, Scratch};
use einsicht::model::task::{Task, TaskKind};
use einsicht::report::wording::at_least;
use serde_json::{Map, Value, json};

impl Explanation<'_> {
    pub(super) fn json(&self) -> Value {
        let mut whole = json!({
            "method": format!("{:?}", self.options.method).to_lowercase(),
            "baseline": self.found.baseline.name(),
            "size": self.subject.model.entries[self.subject.entry].size,
            "quantities": self.found.quantities.iter().map(|q| q.name.clone()).collect::<Vec<_>>(),
            "patterns": self.patterns_json(),
            "graphs": self.graphs_json(),
            "warnings": self.warnings,
        });
        if let Some(effects) = &self.effects {
            whole["effects"] = effects_json(self.subject.model, self.subject.entry, effects, &self.tasks);
        }
        let tasks: Vec<&Task> = self.tasks.iter().map(|&task| &self.subject.model.tasks[task]).collect();
        if !self.trees.is_empty() {
            let trees = tasks.iter().zip(&self.trees).map(|(task, surrogate)| {
                let tree = self.tree_json(&surrogate.tree, 0);
                json!({ "target": task.name, "fidelity": surrogate.fidelity, "tree": tree })
            });
            whole["trees"] = trees.collect();
        }
        if !self.importance.is_empty() {
            let importance = tasks.iter().zip(&self.importance);
            whole["importance"] =
                importance.map(|(task, values)| json!({ "target": task.name, "values": self.named(values) })).collect();
        }
        whole
    }

    fn patterns_json(&self) -> Vec<Value> {
        let model = self.subject.model;
        let patterns = model.entries[self.subject.entry].iterate.patterns.iter().zip(&self.found.names);
        let one = patterns.map(|(pattern, name)| {
            let known = model.pattern(&pattern.code);
            json!({
                "name": name,
                "text": model.names().one_line(&pattern.code),
                "words": model.names().words(&pattern.code),
                "pattern": model.names().pattern(&pattern.code),
                "smarts": model.names().smarts(&pattern.code),
                "edges": pattern.code.num_edges(),
                "support": known.map(|known| known.support),
                "alike": known.map(|known| known.class.size),
            })
        });
        one.collect()
    }

    fn tree_json(&self, tree: &Tree, at: usize) -> Value {
        let node = &tree.nodes[at];
        let mut value = json!({ "rows": node.rows, "impurity": node.impurity, "value": tree.value(at) });
        if let Some(split) = &node.split {
            value["pattern"] = json!(self.found.names[split.column as usize]);
            value["column"] = json!(split.column);
            let values = self.subject.model.params.values();
            let count = values.count_above(split.threshold);
            value["count"] = json!(count);
            value["question"] = json!(format!("{}?", at_least(values, count)));
            value["threshold"] = json!(split.threshold);
            value["no"] = self.tree_json(tree, split.left as usize);
            value["yes"] = self.tree_json(tree, split.right as usize);
        }
        value
    }

    fn graphs_json(&self) -> Vec<Value> {
        let locator = PatternLocator::new(&self.subject, Over::Subgraph);
        let mut scratch = Scratch::default();
        let mut graphs = Vec::with_capacity(self.rows.len());
        for (at, (&row, attribution)) in self.rows.iter().zip(&self.found.graphs).enumerate() {
            let first = self.tasks.first().copied().unwrap_or(0);
            let mut graph = self.quantity_json(at, self.found.main_quantity(attribution, first));
            graph["id"] = json!(self.subject.dataset.ids[row]);
            graph["counts"] = json!(self.counts(at));
            graph["feature_values"] = json!(self.found.features_of(at)[..self.patterns()]);
            let columns = self.column_values(at);
            if !columns.is_empty() {
                let named =
                    columns.into_iter().map(|(feature, value)| (self.found.names[feature].clone(), json!(value)));
                graph["columns"] = Value::Object(named.collect());
            }
            if let Some(spread) = self.spread.get(at) {
                graph["bootstrap"] = self.spread_json(spread);
            }
            let quantities = self.found.quantities.len();
            if quantities > 1 {
                graph["all"] = (0..quantities).map(|q| self.quantity_json(at, q)).collect();
            }
            if let Some(over) = self.options.places {
                graph["places"] = self.occurrences_json(&locator, row, &mut scratch);
                let q = self.found.main_quantity(attribution, first);
                let values: Vec<f64> = (0..self.patterns()).map(|f| self.found.value(attribution, f, q)).collect();
                let on_graph = spread(&self.subject, row, &values, over.into());
                (graph["vertex_weights"], graph["edge_weights"]) = (json!(on_graph.vertices), json!(on_graph.edges));
            }
            graphs.push(graph);
        }
        graphs
    }

    /// The attribution of one quantity of a graph.
    fn quantity_json(&self, at: usize, q: usize) -> Value {
        let attribution: &Attribution = &self.found.graphs[at];
        let (features, quantities) = (self.found.names.len(), self.found.quantities.len());
        let of = |list: &[f64]| self.named(&(0..features).map(|f| list[f * quantities + q]).collect::<Vec<_>>());
        let mut value = json!({
            "quantity": self.found.quantities[q].name,
            "output": attribution.output[q],
            "base": attribution.base[q],
            "values": of(&attribution.values),
        });
        if let Some((feature, is_absent)) = self.found.decided_by(at, q) {
            value["decided_by"] = json!({ "feature": self.found.names[feature], "absent": is_absent });
        }
        if self.options.method == Method::Lime {
            value["intercept"] = json!(attribution.base[q]);
            value["local_prediction"] = json!(self.found.total(attribution, q));
            value["residual"] = json!(self.found.residual(attribution, q));
        }
        if let Some(errors) = &attribution.errors {
            value["errors"] = of(errors);
        }
        if let Some(pairs) = &attribution.interactions {
            let row = |i| (0..features).map(|j| pairs[(i * features + j) * quantities + q]).collect::<Vec<f64>>();
            value["interactions"] = json!((0..features).map(row).collect::<Vec<_>>());
        }
        value
    }

    /// For each explained target mean and standard deviation over the members: of each probability, or of the number.
    fn spread_json(&self, spread: &[Vec<MemberSpread>]) -> Value {
        let of_task = |&task: &usize| {
            let described = &self.subject.model.tasks[task];
            let one = |spread: &MemberSpread| json!({ "mean": spread.mean, "standard_deviation": spread.deviation });
            let value: Value = match &described.kind {
                TaskKind::Classes(names) => {
                    names.iter().cloned().zip(spread[task].iter().map(one)).collect::<Map<_, _>>().into()
                }
                TaskKind::Number { .. } => spread[task].first().map_or(Value::Null, one),
            };
            (described.name.clone(), value)
        };
        self.tasks.iter().map(of_task).collect::<Map<_, _>>().into()
    }

    /// The vertices and edges of every occurrence of every subgraph in a graph.
    fn occurrences_json(&self, locator: &PatternLocator, row: usize, scratch: &mut Scratch) -> Value {
        let found = (0..self.patterns()).map(|pattern| {
            let all = locator.occurrences(pattern, &self.subject.dataset.graphs[row], MOST_OCCURRENCES, scratch);
            let one = |occurrence: &Occurrence| {
                let vertices: Vec<usize> = occurrence.vertices.iter().map(|vertex| vertex.index()).collect();
                let edges: Vec<usize> = occurrence.edges.iter().map(|edge| edge.index()).collect();
                json!({ "vertices": vertices, "edges": edges })
            };
            (self.found.names[pattern].clone(), all.iter().map(one).collect())
        });
        found.collect::<Map<_, _>>().into()
    }

    /// One number per feature, by name.
    fn named(&self, values: &[f64]) -> Value {
        let named = self.found.names.iter().zip(values).map(|(name, value)| (name.clone(), json!(value)));
        named.collect::<Map<_, _>>().into()
    }
}
