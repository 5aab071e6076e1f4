//! The paper's figures: Shapley values of one prediction of ToxCast_PXRE, trees of Cycle_XOR and ToxCast_PXRE,
//! importances in Cycle_XOR, the subgraphs of both models, the parts of Cycle_XOR. Writes SVG files into the given
//! folder; needs the data of `../shared`. `cargo lab figures` runs it. Models are those of preset `paper` on a seeded
//! split of our own.
#![allow(clippy::print_stdout, reason = "it prints the names of the files")]

use einsicht_data::read::{ReadOptions, TargetChoice, read};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Part, Vocabulary};
use einsicht_explain::{
    AttributionMethod, AttributionRequest, ForestRequest, Provenance, Scale, ShapleyBaseline, ShapleyOptions, Subject,
    SurrogateRequest, attributions, forest_importance, surrogate_trees,
};
use einsicht_forest::ForestParams;
use einsicht_graph::{DfsCode, Graph, Label, VertexId};
use einsicht_model::Model;
use einsicht_model::metrics::most_likely;
use einsicht_model::params::TrainParams;
use einsicht_model::task::TaskKind;
use einsicht_report::Portraits;
use einsicht_report::draw::figure;
use einsicht_report::draw::figure::{Bar, Caption};
use einsicht_report::draw::{Drawing, Palette, draw};
use einsicht_train::fit::{FitOptions, fit_without_effects};
use std::error::Error;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [shared, folder] = &words[..] else { return Err("figures SHARED FOLDER".into()) };
    let (shared, folder) = (Path::new(shared), Path::new(folder));
    std::fs::create_dir_all(folder)?;
    let cycle = read(&shared.join("data/tu/Cycle_XOR"), &ReadOptions::default())?;
    write(folder, "cycle-xor-parts.svg", &parts()?)?;
    let params = TrainParams { sizes: vec![1, 5, 10], max_edges: 9, ..TrainParams::paper() };
    let cycle = Case::train(cycle, "Cycle_XOR", params)?;
    write(folder, "cycle-xor-subgraphs.svg", &cycle.subgraphs())?;
    write(folder, "cycle-xor-tree.svg", &cycle.tree())?;
    write(folder, "cycle-xor-importance.svg", &cycle.importance())?;
    let targets = TargetChoice::Named(vec![PXRE.to_owned()]);
    let toxcast = read(
        &shared.join("data/molnet/toxcast.csv.gz"),
        &ReadOptions { targets, on_bad: einsicht_data::read::OnBad::Skip, ..ReadOptions::default() },
    )?;
    // Molecules without a measurement are left out.
    let measured: Vec<usize> = match &toxcast.targets[0].values {
        einsicht_data::TargetValues::Classes { values, .. } => {
            (0..toxcast.len()).filter(|&row| values[row].is_some()).collect()
        }
        einsicht_data::TargetValues::Numbers { .. } => return Err("ToxCast_PXRE has classes".into()),
    };
    let params = TrainParams { sizes: vec![1, 5, 10, 25], max_edges: 4, ..TrainParams::paper() };
    let toxcast = Case::train(toxcast.subset(&measured), "ToxCast_PXRE", params)?;
    write(folder, "toxcast-pxre-subgraphs.svg", &toxcast.subgraphs())?;
    write(folder, "toxcast-pxre-tree.svg", &toxcast.tree())?;
    write(folder, "toxcast-pxre-shapley.svg", &toxcast.shapley_values())?;
    Ok(())
}

/// The three parts of Cycle_XOR, each of 16 vertices: two rings of 8 joined by an edge, two rings of 9 that share one,
/// padding.
fn parts() -> Result<String, Box<dyn Error>> {
    let ring = |first: u32, last: u32| (first..last).map(|v| (v, v + 1)).chain([(last, first)]).collect::<Vec<_>>();
    let path = (0..9).map(|v| (v, v + 1)).chain([(0, 10), (0, 11), (9, 12), (9, 13), (4, 14), (5, 15)]);
    let all = [
        ("H_p: two joined 8-rings", [ring(0, 7), ring(8, 15), vec![(0, 8)]].concat()),
        ("H_n: two fused 9-rings", [ring(0, 15), vec![(0, 8)]].concat()),
        ("H_padding: a tree", path.collect()),
    ];
    let palette = Palette::new(&Vocabulary::from_tokens(["0", "1"]), &Vocabulary::from_tokens([""]));
    let mut drawings = Vec::new();
    for (text, edges) in all {
        let mut builder = Graph::builder();
        for _ in 0..16 {
            builder.add_vertex(Label(1))?;
        }
        for (from, to) in edges {
            builder.add_edge(VertexId(from), VertexId(to), Label(0))?;
        }
        drawings.push((draw(&builder.build(), &palette), text.to_owned()));
    }
    let caption = Caption { title: "The parts of Cycle and Cycle_XOR", note: "All vertices have label 1." };
    Ok(figure::gallery(&caption, &drawings))
}

/// The assay of our split; the paper does not name its own.
const PXRE: &str = "ATG_PXRE_CIS_up";

fn write(folder: &Path, name: &str, text: &str) -> Result<(), Box<dyn Error>> {
    std::fs::write(folder.join(name), text)?;
    println!("{}", folder.join(name).display());
    Ok(())
}

/// A trained model with all that its figures need.
struct Case {
    name: &'static str,
    dataset: Dataset,
    model: Model,
    drawings: Vec<Drawing>,
    words: Vec<String>,
}

impl Case {
    fn train(dataset: Dataset, name: &'static str, params: TrainParams) -> Result<Self, Box<dyn Error>> {
        let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0)?;
        let model = fit_without_effects(&dataset, &split, &params.check()?, &FitOptions::default())?;
        let iterate = &model.best().iterate;
        let (names, portraits) = (model.names(), Portraits::of(&model));
        let graphs: Vec<_> = iterate.patterns.iter().map(|pattern| pattern.code.to_graph()).collect();
        let drawings = graphs.iter().map(|g| portraits.draw(g).titled(names.words(g))).collect();
        let words = graphs.iter().map(|graph| names.one_line(graph)).collect();
        println!("{name}: {} subgraphs, test {:?}", graphs.len(), model.best().test);
        Ok(Self { name, dataset, model, drawings, words })
    }

    fn subject(&self) -> Subject<'_> {
        Subject { model: &self.model, entry: self.model.chosen, dataset: &self.dataset }
    }

    /// All selected subgraphs, with the number of training graphs that contain each.
    fn subgraphs(&self) -> String {
        let patterns = &self.model.best().iterate.patterns;
        let title = format!("{}: the {} subgraphs of the model", self.name, patterns.len());
        let support = |code: &DfsCode| self.model.patterns.iter().find(|p| p.code == *code).map_or(0, |p| p.support);
        let text = |at: usize| format!("{}: in {} graphs", at + 1, support(&patterns[at].code));
        let items: Vec<(Drawing, String)> =
            self.drawings.iter().enumerate().map(|(at, drawing)| (drawing.clone(), text(at))).collect();
        figure::gallery(&Caption { title: &title, note: "Numbers of training graphs that contain each." }, &items)
    }

    fn tree(&self) -> String {
        let request = SurrogateRequest { subject: self.subject(), tasks: &[0], rows: &[], max_depth: 3 };
        let surrogate = surrogate_trees(&request).trees.swap_remove(0);
        let title = format!("{}: surrogate decision tree", self.name);
        let note = format!("It reproduces {:.1} % of the predictions for all graphs.", 100.0 * surrogate.fidelity);
        let TaskKind::Classes(names) = &self.model.tasks[0].kind else { return String::new() };
        let caption = Caption { title: &title, note: &note };
        figure::tree(&caption, &surrogate.tree, self.model.params.values(), &self.drawings, |at| {
            let fractions = surrogate.tree.value(at);
            let class = most_likely(fractions);
            let graphs = surrogate.tree.nodes[at].rows;
            let purity =
                if fractions[class] < 1.0 { format!(", {:.0} %", 100.0 * fractions[class]) } else { String::new() };
            [format!("y = {}", names[class]), format!("{graphs} graphs{purity}")]
        })
    }

    fn importance(&self) -> String {
        let request =
            ForestRequest { subject: self.subject(), tasks: &[0], rows: &[], params: ForestParams::default() };
        let importance = forest_importance(&request).importance.swap_remove(0);
        let title = format!("{}: importance in a random forest", self.name);
        let note = "Mean decrease of impurity in 500 trees fitted to the model's output, the five largest.";
        self.bars(&Caption { title: &title, note }, &importance)
    }

    /// Shapley values of the first test molecule of class 0 with at least four subgraphs.
    fn shapley_values(&self) -> String {
        let provenance = Provenance::of(&self.model, &self.dataset);
        let test: Vec<usize> =
            (0..self.dataset.len()).filter(|&row| provenance.parts[row] == Some(Part::Test)).collect();
        let method =
            AttributionMethod::Shapley { baseline: ShapleyBaseline::Absent, options: ShapleyOptions::default() };
        let (subject, scale) = (self.subject(), Scale::Logit);
        let request = AttributionRequest { subject, rows: &test, scale, method };
        let found = attributions(&request);
        let present = |at: usize| found.features_of(at).iter().filter(|value| **value != 0.0).count();
        let is_good = |at: &usize| present(*at) >= 4 && found.graphs[*at].output[0] < 0.0;
        let Some(at) = (0..test.len()).find(is_good) else { return String::new() };
        let attribution = &found.graphs[at];
        let title = format!("{}: why molecule {} is predicted inactive", self.name, self.dataset.ids[test[at]]);
        let note = format!(
            "Shapley values of the logit, exact: base {:.3}, output {:.3} (baseline: absent).",
            attribution.base[0], attribution.output[0]
        );
        self.bars(&Caption { title: &title, note: &note }, &attribution.values)
    }

    /// The five longest bars.
    fn bars(&self, caption: &Caption<'_>, values: &[f64]) -> String {
        let mut order: Vec<usize> = (0..values.len()).filter(|&at| values[at] != 0.0).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        let bar =
            |&at: &usize| Bar { drawing: self.drawings[at].clone(), text: self.words[at].clone(), value: values[at] };
        figure::bars(caption, &order.iter().take(5).map(bar).collect::<Vec<_>>())
    }
}
