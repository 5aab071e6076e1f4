//! The sets of `../shared/data/truth` with the figures of others, and ten rules of our own.

use einsicht_testkit::truth::Rule;

/// A set whose labels follow a rule.
pub(crate) struct KnownSet {
    /// How its files begin.
    pub(crate) name: &'static str,
    pub(crate) words: &'static str,
    /// The groups of its rule; empty where they cannot be written as one pattern each.
    pub(crate) groups: &'static [&'static str],
    /// Figures of a graph isomorphism network with occlusion (accuracy; atom AUC, GEA) and of a forest on Morgan
    /// fingerprints with TreeSHAP, from the README beside the sets.
    pub(crate) others: [&'static str; 2],
}

const BENZENE: &str = "C1:C:C:C:C:C:1";
const INDOLE: &str = "C1:C:C:C2:C(:C:1):C:C:N:2";

const fn set(
    name: &'static str,
    words: &'static str,
    groups: &'static [&'static str],
    others: [&'static str; 2],
) -> KnownSet {
    KnownSet { name, words, groups, others }
}

pub(crate) const SETS: &[KnownSet] = &[
    set("r01", "benzene ring", &[BENZENE], ["1.00; .99 .83", ".96; .95 .70"]),
    set("r03", "fluoride and carbonyl", &["C-F", "C=O"], ["1.00; .81 .48", "1.00; .99 .59"]),
    set("r17", "the same, 10 % of the labels wrong", &["C-F", "C=O"], [".87; .80 .37", ".98; .98 .54"]),
    set("r04", "sulfonyl or ether, not both", &["O=S=O", "C-O-C"], ["1.00; .99 .69", ".85; .74 .34"]),
    set("r05", "ether and amide and benzene", &["C-O-C", "O=C-N", BENZENE], [".99; .81 .63", ".87; .90 .75"]),
    set("r06", "amide, no ether", &["O=C-N", "C-O-C"], ["1.00; .99 .79", ".95; .97 .48"]),
    set("r07", "three benzene rings or more", &[BENZENE], [".88; .71 .73", ".85; .88 .79"]),
    set("r09", "halogen on an aromatic carbon", &[], ["1.00; .99 .58", ".99; 1.00 .52"]),
    set("r16", "ether, fluorine as a decoy", &["C-O-C"], [".99; 1.00 .72", ".90; .93 .46"]),
    set("r18", "indole", &[INDOLE], ["", ".97; .95 .74"]),
    set("p_benzene", "benzene ring (Sanchez-Lengeling et al.)", &[BENZENE], ["1.00; 1.00 .98", ".97; .97 .76"]),
    set("p_logic7", "fluoride and carbonyl (the same)", &["C-F", "C=O"], ["1.00; .92 .54", ".98; .93 .55"]),
    set("p_logic8", "unbranched alkane and carbonyl (the same)", &[], [".99; .93 .76", ".92; .97 .73"]),
    set("s01", "a house (1) or a 5-ring (0) on a tree", &[], ["1.00; .99 .75", ""]),
    set("n01", "a number: weighted counts of groups", &[], [".55 (RMSE)", "1.51 (RMSE)"]),
];

/// Rules that nobody looked at while the learner was built; molecules are those of Lipophilicity.
pub(crate) const OWN: &[Rule] = &[
    Rule {
        name: "o01",
        words: "nitrile or bromine",
        groups: &["C#N", "C-Br"],
        is_one: |n| n[0] + n[1] > 0,
        noise: 0.0,
    },
    Rule { name: "o02", words: "two chlorides or more", groups: &["C-Cl"], is_one: |n| n[0] >= 2, noise: 0.0 },
    Rule {
        name: "o03",
        words: "pyridine, no ether",
        groups: &["C1:C:C:N:C:C:1", "C-O-C"],
        is_one: |n| n[0] > 0 && n[1] == 0,
        noise: 0.0,
    },
    Rule { name: "o04", words: "pyrimidine", groups: &["C1:C:C:N:C:N:1"], is_one: |n| n[0] > 0, noise: 0.0 },
    Rule { name: "o05", words: "morpholine ring", groups: &["C1-C-O-C-C-N-1"], is_one: |n| n[0] > 0, noise: 0.0 },
    Rule {
        name: "o06",
        words: "amide or chloride, not both",
        groups: &["O=C-N", "C-Cl"],
        is_one: |n| (n[0] > 0) != (n[1] > 0),
        noise: 0.0,
    },
    Rule {
        name: "o07",
        words: "benzene and ether, 10 % of the labels wrong",
        groups: &["C1:C:C:C:C:C:1", "C-O-C"],
        is_one: |n| n[0] > 0 && n[1] > 0,
        noise: 0.1,
    },
    Rule { name: "o08", words: "three-membered ring", groups: &["C1-C-C-1"], is_one: |n| n[0] > 0, noise: 0.0 },
    Rule { name: "o09", words: "two amides or more", groups: &["O=C-N"], is_one: |n| n[0] >= 2, noise: 0.0 },
    Rule {
        name: "o10",
        words: "sulfonyl or trifluoromethyl",
        groups: &["O=S=O", "C(-F)(-F)-F"],
        is_one: |n| n[0] + n[1] > 0,
        noise: 0.0,
    },
];
