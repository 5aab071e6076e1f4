//! Lies about what a model says of its graphs.

use super::*;

/// Lies about names, hashes and folds.
pub(super) const ABOUT_GRAPHS: [Lie; 13] = [
    Lie {
        of: Of::Usual,
        name: "names of vertex labels, swapped",
        tell: |m, _| {
            m.vertex_labels.set_name("0", "nitrogen");
            m.vertex_labels.set_name("1", "carbon");
        },
        told: "names of labels",
    },
    Lie {
        of: Of::Usual,
        name: "a name of a vertex label, with hidden passes",
        tell: |m, _| {
            m.vertex_labels.set_name("1", "gold");
            hide(m);
        },
        told: "names of labels",
    },
    Lie {
        of: Of::Network,
        name: "a name of an edge label, with hidden passes",
        tell: |m, _| {
            m.edge_labels.set_name("", "double");
            hide(m);
        },
        told: "names of labels",
    },
    Lie {
        of: Of::Usual,
        name: "a class, with hidden passes",
        tell: |m, _| {
            m.tasks[0].kind = TaskKind::Classes(vec!["0".to_owned(), "2".to_owned()]);
            hide(m);
        },
        told: "targets",
    },
    Lie {
        of: Of::Usual,
        name: "the name of the target, with hidden passes",
        tell: |m, _| {
            "solubility".clone_into(&mut m.tasks[0].name);
            hide(m);
        },
        told: "refused",
    },
    Lie {
        of: Of::Usual,
        name: "no graph was seen, with hidden passes",
        tell: |m, _| {
            m.seen.hashes.fill(Fingerprint(7));
            hide(m);
        },
        told: "hashes of the graphs seen",
    },
    Lie {
        of: Of::Network,
        name: "no graph was seen by the network, with hidden passes",
        tell: |m, _| {
            m.seen.hashes.iter_mut().for_each(|hash| hash.0 ^= 1);
            hide(m);
        },
        told: "hashes of the graphs seen",
    },
    Lie {
        of: Of::Usual,
        name: "one graph was not seen, with hidden passes",
        tell: |m, _| {
            m.seen.hashes[3] = Fingerprint(1);
            hide(m);
        },
        told: "hashes of the graphs seen",
    },
    Lie {
        of: Of::Usual,
        name: "folds change places, with hidden passes",
        tell: |m, _| {
            m.seen.folds.of.iter_mut().flatten().for_each(|fold| *fold = 1 - *fold);
            hide(m);
        },
        told: "folds",
    },
    Lie {
        of: Of::Usual,
        name: "graphs change places among the folds, with hidden passes",
        tell: |m, _| {
            m.seen.folds.of.reverse();
            m.seen.hashes.reverse();
            hide(m);
        },
        told: "folds",
    },
    Lie {
        of: Of::Usual,
        name: "more support of one class, with hidden passes",
        tell: |m, _| {
            m.patterns[0].support += 1;
            m.patterns[0].by_class[0][1] += 1;
            hide(m);
        },
        told: "supports",
    },
    Lie {
        of: Of::Usual,
        name: "another data set, with hidden passes",
        tell: |m, _| {
            m.fingerprint = "0".repeat(32);
            hide(m);
        },
        told: "data set",
    },
    Lie {
        of: Of::Usual,
        name: "weights of graphs, with hidden passes",
        tell: |m, _| {
            m.graph_weights = Some(vec![2.0; m.fitted_rows().len()]);
            hide(m);
        },
        told: OLDER,
    },
];
