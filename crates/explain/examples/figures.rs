//! The paper's figures, redone: shares of one prediction of ToxCast_PXRE, trees of Cycle_XOR and ToxCast_PXRE, importances of
//! Cycle_XOR. Writes SVG files into the folder that is named; wants the data of `../shared`. `cargo xtask figures` runs it.
#![allow(clippy::print_stdout, reason = "it says what it wrote")]

use einsicht_data::draw::on_one_line;
use einsicht_data::read::{ReadOptions, TargetChoice, read};
use einsicht_data::split::seeded::{Fractions, default_split};
use einsicht_data::{Dataset, Part};
use einsicht_explain::draw::{Drawing, Palette, draw};
use einsicht_explain::figure::{self, Bar};
use einsicht_explain::game::{Game, Scale};
use einsicht_explain::kinship::Kinship;
use einsicht_explain::shapley;
use einsicht_explain::surrogate::Answers;
use einsicht_learn::fit::{FitOptions, fit};
use einsicht_learn::forest::ForestParams;
use einsicht_learn::metrics::most_likely;
use einsicht_learn::model::Model;
use einsicht_learn::params::TrainParams;
use einsicht_learn::task::TaskKind;
use std::error::Error;
use std::ops::ControlFlow;
use std::path::Path;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [shared, folder] = &words[..] else { return Err("figures SHARED FOLDER".into()) };
    let (shared, folder) = (Path::new(shared), Path::new(folder));
    std::fs::create_dir_all(folder)?;
    let cycle = read(&shared.join("data/tu/Cycle_XOR"), &ReadOptions::default())?;
    let params = TrainParams { sizes: vec![1, 2, 3, 5, 8], max_edges: 9, ..TrainParams::ein() };
    let cycle = Case::train(cycle, "Cycle_XOR", params)?;
    write(folder, "cycle-xor-tree.svg", &cycle.tree())?;
    write(folder, "cycle-xor-importance.svg", &cycle.importance())?;
    let targets = TargetChoice::Named(vec![PXRE.to_owned()]);
    let toxcast = read(
        &shared.join("data/molnet/toxcast.csv.gz"),
        &ReadOptions { targets, on_bad: einsicht_data::read::OnBad::Skip, ..ReadOptions::default() },
    )?;
    // Molecules that were not measured teach nothing here.
    let measured: Vec<usize> = match &toxcast.targets[0].values {
        einsicht_data::TargetValues::Classes { values, .. } => {
            (0..toxcast.len()).filter(|&row| values[row].is_some()).collect()
        }
        einsicht_data::TargetValues::Numbers { .. } => return Err("ToxCast_PXRE has classes".into()),
    };
    let params = TrainParams { sizes: vec![1, 2, 3, 5, 8, 12], max_edges: 6, ..TrainParams::ein() };
    let toxcast = Case::train(toxcast.subset(&measured), "ToxCast_PXRE", params)?;
    write(folder, "toxcast-pxre-tree.svg", &toxcast.tree())?;
    write(folder, "toxcast-pxre-shapley.svg", &toxcast.shares())?;
    Ok(())
}

/// The assay of the paper.
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
    table: Vec<f64>,
}

impl Case {
    fn train(dataset: Dataset, name: &'static str, params: TrainParams) -> Result<Self, Box<dyn Error>> {
        let split = default_split(&dataset, Fractions { valid: 0.2, test: 0.2 }, 0)?;
        let model =
            fit(&dataset, &split, &params.check()?, &FitOptions::default(), &mut |_| ControlFlow::Continue(()))?;
        let iterate = &model.best().iterate;
        let palette = Palette::new(&model.vertex_labels, &model.edge_labels);
        let graphs: Vec<_> = iterate.patterns.iter().map(|pattern| pattern.code.to_graph()).collect();
        let drawings = graphs.iter().map(|graph| draw(graph, &palette)).collect();
        let words = graphs.iter().map(|g| on_one_line(g, &model.vertex_labels, &model.edge_labels)).collect();
        let table = model.values(&model.supports(iterate, &dataset, &dataset.graphs), dataset.len());
        println!("{name}: {} subgraphs, test {:?}", graphs.len(), model.best().test);
        Ok(Self { name, dataset, model, drawings, words, table })
    }

    fn game(&self) -> Game<'_> {
        Game::new(&self.model, self.model.chosen, Scale::Logit)
    }

    fn tree(&self) -> String {
        let game = self.game();
        let surrogate = Answers::new(&game, &self.table, self.dataset.len()).tree(0, 3);
        let title = format!("{}: the model in a few rules", self.name);
        let note =
            format!("These questions repeat {:.1} % of the predictions for all graphs.", 100.0 * surrogate.fidelity);
        let TaskKind::Classes(names) = &self.model.tasks[0].kind else { return String::new() };
        figure::tree(&title, &note, (&surrogate.tree, self.model.params.values()), &self.drawings, |at| {
            let shares = surrogate.tree.value(at);
            let class = most_likely(shares);
            let graphs = surrogate.tree.nodes[at].rows;
            let sure = if shares[class] < 1.0 { format!(", {:.0} %", 100.0 * shares[class]) } else { String::new() };
            [format!("y = {}", names[class]), format!("{graphs} graphs{sure}")]
        })
    }

    fn importance(&self) -> String {
        let game = self.game();
        let answers = Answers::new(&game, &self.table, self.dataset.len());
        let importance = answers.forest(0, &ForestParams::default()).importance(game.players());
        let title = format!("{}: importance in a forest", self.name);
        self.bars(
            &title,
            "Mean decrease of impurity in 500 trees fitted to the model's output, the five largest.",
            &importance,
        )
    }

    /// Shares of the first test molecule of class 0 with at least four subgraphs.
    fn shares(&self) -> String {
        let game = self.game();
        let kinship = Kinship::of(&self.model, &self.dataset);
        let width = game.players();
        let present = |row: usize| self.table[row * width..(row + 1) * width].iter().filter(|v| **v != 0.0).count();
        let predictions =
            self.model.predict(self.model.chosen, &self.dataset, &(0..self.dataset.len()).collect::<Vec<_>>());
        let is_good = |row: &usize| {
            kinship.parts[*row] == Some(Part::Test) && present(*row) >= 4 && predictions.outputs[*row] < 0.0
        };
        let Some(row) = (0..self.dataset.len()).find(is_good) else { return String::new() };
        let values = &self.table[row * width..(row + 1) * width];
        let shares = shapley::explain(&game, values, 1, &shapley::Options::default()).row(0).clone();
        let title = format!("{}: why molecule {} is predicted inactive", self.name, self.dataset.ids[row]);
        let note = format!(
            "Shapley values of the logit, exact: base {:.3}, output {:.3} (baseline: absent).",
            shares.base[0], shares.output[0]
        );
        self.bars(&title, &note, &shares.values)
    }

    /// The five longest bars.
    fn bars(&self, title: &str, note: &str, values: &[f64]) -> String {
        let mut order: Vec<usize> = (0..values.len()).filter(|&at| values[at] != 0.0).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()));
        let bar =
            |&at: &usize| Bar { drawing: self.drawings[at].clone(), text: self.words[at].clone(), value: values[at] };
        figure::bars(title, note, &order.iter().take(5).map(bar).collect::<Vec<_>>())
    }
}
