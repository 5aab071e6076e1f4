//! What `docs/formats.md` shows can be read, and it names every format.

#![allow(clippy::unwrap_used, reason = "a failed test is what unwrap is for")]

use einsicht_data::patterns::read_patterns;
use einsicht_data::read::{Format, ReadOptions, read_from};
use einsicht_data::{Dataset, SplitFile};
use einsicht_testkit::repo_root;
use std::io::Cursor;
use std::path::Path;

fn documentation() -> String {
    std::fs::read_to_string(repo_root().join("docs/formats.md")).unwrap()
}

/// The code blocks of a language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    text.split(&fence).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

fn parse(text: &str, format: Format) -> Dataset {
    let options = ReadOptions { format: Some(format), ..ReadOptions::default() };
    read_from(Path::new("docs"), Cursor::new(text.to_owned().into_bytes()), &options).unwrap()
}

#[test]
fn the_examples_can_be_read() {
    let documentation = documentation();
    let json = blocks(&documentation, "json");
    assert_eq!(json.len(), 4);
    let two = parse(&json[0], Format::Jsonl);
    assert_eq!((two.len(), two.targets.len(), two.attributes.unwrap().columns), (2, 2, 3));
    let by_hand = parse(&json[1], Format::Jsonl);
    assert_eq!((by_hand.len(), by_hand.graphs[0].num_edges()), (1, 1));
    let path = std::env::temp_dir().join(format!("einsicht-split-{}.json", std::process::id()));
    std::fs::write(&path, &json[3]).unwrap();
    assert_eq!(SplitFile::read(&path).unwrap().len(), 1);
    std::fs::write(&path, &json[2]).unwrap();
    assert_eq!(read_patterns(&path, &ReadOptions::default()).unwrap().len(), 1);
    std::fs::remove_file(path).unwrap();
    let text = blocks(&documentation, "text");
    let transaction = text.iter().find(|block| block.starts_with("t #")).unwrap();
    assert_eq!(parse(transaction, Format::Gspan).edge_labels.tokens(), ["double"]);
}

#[test]
fn every_format_is_named() {
    let documentation = documentation();
    for format in Format::ALL {
        assert!(documentation.contains(&format!("`{format}`")), "{format}");
    }
}
