//! Single vertices and qualified vertices through the program: mine, match, train, predict, explain, verify, bad input.

use super::{Program, text};
use serde_json::Value;

/// Small molecules; class 1 has a primary amine.
fn molecules() -> String {
    let mut table = "smiles,amine\n".to_owned();
    for chain in ["C", "CC", "CCC", "CC(C)", "c1ccccc1C", "C1CCCC1C", "ClCC", "BrCC", "FCC", "COC"] {
        for (end, class) in [("N", 1), ("NC", 0), ("N(C)C", 0), ("CN", 1), ("O", 0), ("C(=O)N", 1)] {
            table += &format!("{chain}{end},{class}\n");
        }
    }
    table
}

#[test]
fn a_primary_amine_is_one_subgraph_with_a_qualifier() {
    let program = Program::new();
    program.write("amines.csv", &molecules());
    let trained = program.json("train amines.csv -o m --sizes 1 --json -q");
    let best = &trained["path"][trained["chosen"].as_u64().unwrap() as usize];
    assert_eq!((best["patterns"].as_u64(), best["valid"]["accuracy"].as_f64()), (Some(1), Some(1.0)), "{best}");
    let shown = program.json("show m --json");
    let pattern = &shown["patterns"][0];
    assert_eq!(pattern["smarts"], "[#7;H2]", "{pattern}");
    assert_eq!(pattern["words"], "N with 2 H");
    // Other data are read in the language of the model, whatever their order; halogens that it has never seen are no
    // surprise.
    program.write("new.csv", "smiles\nNCCI\nCNC\nFCCN(C)C\n");
    let predicted = program.json("predict m new.csv --json -q");
    let classes: Vec<&str> =
        predicted["predictions"].as_array().unwrap().iter().map(|p| p["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["1", "0", "0"]);
    let verified = program.json("verify m amines.csv --json -q");
    assert_eq!(verified["verified"], true, "{verified}");
    let explained = program.json("explain m new.csv --graph 0 --json --places -q");
    assert!(explained.to_string().contains("\"vertices\":[0]"), "{explained}");
    program.run("report m amines.csv -o page.html -q").success();
    let page = std::fs::read_to_string(program.folder().join("page.html")).unwrap();
    assert!(page.contains("N with 2 H"));
}

#[test]
fn qualified_patterns_are_mined_closed_and_matched_again() {
    let program = Program::new();
    program.write("amines.csv", &molecules());
    let plain = program.json("mine amines.csv --max-edges 3 --json -q");
    let same = program.json("mine amines.csv --max-edges 3 --qualifiers none --min-edges 1 --json -q");
    assert_eq!((&plain["patterns"], &plain["support_sum"]), (&same["patterns"], &same["support_sum"]));
    let words =
        "mine amines.csv --max-edges 3 --min-edges 0 --qualifiers auto --max-qualifiers 2 --feature count -o all.jsonl";
    let rich = program.json(&format!("{words} --json -q"));
    assert!(
        rich["patterns"].as_u64() > plain["patterns"].as_u64() && rich["single_vertices"].as_u64() > Some(3),
        "{rich}"
    );
    program.run("match all.jsonl amines.csv --feature count -o again.jsonl -q").success();
    let lines = |name: &str| -> Vec<Value> {
        let file = std::fs::read_to_string(program.folder().join(name)).unwrap();
        file.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    };
    let (mined, matched) = (lines("all.jsonl"), lines("again.jsonl"));
    assert_eq!(mined.len(), matched.len());
    let mut qualified = 0;
    for (mined, matched) in mined.iter().zip(&matched) {
        assert_eq!((&mined["support"], &mined["counts"]), (&matched["support"], &matched["counts"]), "{mined}");
        qualified += usize::from(mined["pattern"]["vertices"].to_string().contains("qualifiers"));
    }
    assert!(qualified > 100, "{qualified}");
    let closed = program.json("mine amines.csv --max-edges 3 --qualifiers auto --closed --json -q");
    assert!(closed["patterns"].as_u64() < rich["patterns"].as_u64());
    // A single vertex can be excluded and required.
    program.write(
        "n.jsonl",
        "{\"pattern\": {\"vertices\": [{\"label\": \"N\", \"qualifiers\": [\"H2\"]}], \"edges\": []}}\n",
    );
    let without = program.json("train amines.csv -o w --sizes 1 --exclude n.jsonl --json -q");
    let shown = program.json("show w --json");
    assert_ne!(shown["patterns"][0]["smarts"], "[#7;H2]", "{without}");
    program.run("train amines.csv -o r --sizes 1 --require n.jsonl -q").success();
    assert_eq!(program.json("show r --json")["patterns"][0]["smarts"], "[#7;H2]");
}

#[test]
fn what_no_vertex_has_and_data_without_properties_are_refused_with_a_way_out() {
    let program = Program::new();
    program.write("amines.csv", &molecules());
    program.write("graphs.gspan", "t # 0 1\nv 0 N\nv 1 C\ne 0 1 single\nt # 1 0\nv 0 O\nv 1 C\ne 0 1 single\n");
    program.run("train amines.csv -o m --sizes 1 -q").success();
    for (line, code, said) in [
        ("train amines.csv -o x --qualifiers colour", 2, "there is no \"colour\"; there are: "),
        ("train amines.csv -o x --qualifiers a,,b", 2, "--qualifiers must be auto, none, names of properties"),
        (
            "train amines.csv -o x --qualifiers none --set max_qualifiers=1",
            2,
            "--set max_qualifiers needs --qualifiers other than none",
        ),
        ("train amines.csv -o x --set min_edges=2", 2, "--set min_edges must be a whole number from 0 to 1, got 2"),
        ("train amines.csv -o x --set summary=labels", 2, "--set summary must be one of attributes, none, got labels"),
        ("mine amines.csv --min-edges 2", 2, "--min-edges must be 0 or 1, got 2"),
        ("predict m graphs.gspan", 1, "the vertices must have the property \"hydrogens\""),
        ("train amines.csv -o x --qualifiers no-such.csv", 2, "no-such.csv"),
    ] {
        let refused = program.run(line).code(code);
        let message = text(&refused.get_output().stderr);
        assert!(message.contains(said), "{line}: {message}");
    }
}
