//! Random data sets, splits and options: small, odd, and mostly good.

use crate::random::Random;
use std::path::Path;
use xtask::program::write;

/// A random data set as a file; returns its name and the number of graphs.
pub(super) fn random(random_numbers: &mut Random, folder: &Path) -> Result<(&'static str, usize), String> {
    let random = random_numbers;
    let graphs = 15 + random.below(40);
    if random.below(3) == 0 {
        let mut text = String::from("name,smiles,y\n");
        for at in 0..graphs {
            let (smiles, value) = molecule(random);
            text += &format!("m{at},{smiles},{value}\n");
        }
        write(&folder.join("data.csv"), &text)?;
        return Ok(("data.csv", graphs));
    }
    let (vertex_labels, edge_labels) = (1 + random.below(4), 1 + random.below(3));
    let mut text = String::new();
    for at in 0..graphs {
        let vertices = 2 + random.below(8);
        let labels: Vec<usize> = (0..vertices).map(|_| random.below(vertex_labels)).collect();
        let mut edges: Vec<(usize, usize)> = (1..vertices).map(|v| (random.below(v), v)).collect();
        for _ in 0..random.below(4) {
            let (a, b) = (random.below(vertices), random.below(vertices));
            let edge = (a.min(b), a.max(b));
            if a != b && !edges.contains(&edge) {
                edges.push(edge);
            }
        }
        // The target has something to do with the graph, but not all.
        let rings = edges.len() + 1 - vertices;
        let class = (rings.min(1) + usize::from(labels[0] == 0) + usize::from(random.below(6) == 0)) % 2;
        text += &format!("t # {at} {class}\n");
        text += &labels.iter().enumerate().map(|(v, label)| format!("v {v} {label}\n")).collect::<String>();
        let lines = edges.iter().map(|(a, b)| format!("e {a} {b} {}\n", random.below(edge_labels)));
        text += &lines.collect::<String>();
    }
    write(&folder.join("data.gspan"), &text)?;
    Ok(("data.gspan", graphs))
}

/// Pieces of a molecule in a row, and a number that depends on them.
fn molecule(random: &mut Random) -> (String, usize) {
    let pieces = ["C", "CC", "C(=O)", "N", "O", "c1ccccc1", "C(Cl)", "S", "C(F)(F)", "C1CC1"];
    let chosen: Vec<usize> = (0..=random.below(6)).map(|_| random.below(pieces.len())).collect();
    let text: String = chosen.iter().map(|&at| pieces[at]).collect();
    let value = chosen.iter().filter(|&&at| at == 2 || at == 6).count() * 3 + chosen.len();
    (format!("C{text}"), value)
}

/// Options of training that go together.
pub(super) fn options(random: &mut Random) -> String {
    let kind = random.one(&[
        "--sizes 1,3,6",
        "--sizes 1,2,5 --head linear --set ridge=0.5",
        "--sizes 2,4 --head forest --set trees=4",
        "--sizes 1,4 --preset ein",
        "--sizes 1,3 --preset ein --set layers=3 --set weight_decay=0.01",
        "--sizes 1,2,4 --preset ein --set network_optimizer=adam --set batch_size=7",
        "--preset ein --penalty l1 --set lambdas=5",
        "--preset ein --penalty l1 --set lambdas=8 --set max_patterns=5",
        "--preset ein --penalty l1 --set network=none --set lambdas=5",
        "--preset gin --sizes 0,1,3 --set gnn_rounds=2 --set gnn_units=3",
        "--preset gin --sizes 0,2 --set gnn_rounds=1 --set gnn_units=4 --set network_optimizer=gd --set \
         network_steps=2",
        "--preset paper --sizes 1,3",
    ]);
    let mut line = format!("{kind} --max-edges {} --set max_iterations={}", 1 + random.below(4), 2 + random.below(7));
    for more in ["--feature count", "--feature presence", "--set calibrate=on --set threshold=auto", "--select loss"] {
        if random.below(5) == 0 && !(more.starts_with("--feature") && line.contains("--feature")) {
            line += &format!(" {more}");
        }
    }
    line + &format!(" --min-support {} --seed {}", 1 + random.below(3), random.below(100))
}
