//! What is drawn, and that it can be read back: by a small reader that nothing else needs.

use super::*;
use einsicht_graph::{DfsCode, Label};
use einsicht_testkit::strategy::{Shape, connected_graph, graph_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

fn words(tokens: &[&str]) -> Vocabulary {
    Vocabulary::from_tokens(tokens.iter().copied())
}

#[test]
fn patterns_look_as_a_chemist_would_write_them() {
    let (atoms, bonds) = (words(&["C", "N", "O"]), words(&["aromatic", "double", "single"]));
    let acetamide = graph_of(&[0, 0, 1, 2], &[(0, 1, 2), (1, 2, 2), (1, 3, 1)]);
    assert_eq!(on_one_line(&acetamide, &atoms, &bonds), "C-C(=O)-N");
    let ring: Vec<(u32, u32, u32)> = (0..6).map(|v| (v, (v + 1) % 6, 0)).chain([(0, 6, 2)]).collect();
    let phenol = graph_of(&[0, 0, 0, 0, 0, 0, 2], &ring);
    assert_eq!(on_one_line(&phenol, &atoms, &bonds), "O-C1:C:C:C:C:C:1");
    assert_eq!(on_one_line(&phenol, &atoms, &words(&[""])), "O-C1-C-C-C-C-C-1");
}

#[test]
fn numbers_and_odd_names_cannot_be_misread() {
    let path = graph_of(&[0, 1, 0], &[(0, 1, 0), (1, 2, 1)]);
    let triangle = graph_of(&[0, 1, 0], &[(0, 1, 0), (1, 2, 1), (2, 0, 0)]);
    let (numbers, odd) = (words(&["0", "1"]), words(&["O-", "a]b"]));
    assert_eq!(on_one_line(&path, &numbers, &words(&[""])), "0-1-0");
    assert_eq!(on_one_line(&path, &numbers, &words(&["2", "y"])), "0~2~1~y~0");
    assert_eq!(on_one_line(&triangle, &numbers, &numbers), "[0]1~0~[0]~1~[1]~0~1");
    assert_eq!(on_one_line(&path, &odd, &words(&[""])), "[O-]-[a\\]b]-[O-]");
}

/// Reads what [`on_one_line`] draws: names of vertices, and edges with their names.
fn read(text: &str, several_edge_labels: bool) -> (Vec<String>, Vec<(u32, u32, String)>) {
    let bare: Vec<char> = without_names(text).chars().collect();
    let has_rings = bare.windows(2).any(|pair| pair[1].is_ascii_digit() && !"0123456789-=#:~(".contains(pair[0]));
    let mut reader = Reader {
        rest: text.chars().peekable(),
        has_rings,
        several_edge_labels,
        vertices: Vec::new(),
        edges: Vec::new(),
    };
    let mut rings = BTreeMap::new();
    let first = reader.vertex(&mut rings);
    reader.branches(first, &mut rings);
    assert_eq!(reader.rest.next(), None, "{text}");
    (reader.vertices, reader.edges)
}

/// The text with `]` for each name in brackets and `~` for each edge label that is a word.
fn without_names(text: &str) -> String {
    let (mut bare, mut rest) = (String::new(), text.chars());
    while let Some(c) = rest.next() {
        if c == '[' {
            while let Some(c) = rest.next().filter(|&c| c != ']') {
                if c == '\\' {
                    rest.next();
                }
            }
            bare.push(']');
        } else {
            bare.push(c);
        }
    }
    bare.split('~').enumerate().map(|(at, part)| if at % 2 == 0 { part } else { "~" }).collect()
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    has_rings: bool,
    several_edge_labels: bool,
    vertices: Vec<String>,
    edges: Vec<(u32, u32, String)>,
}

impl Reader<'_> {
    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        std::iter::from_fn(|| self.rest.next_if(|&c| wanted(c))).collect()
    }

    fn name(&mut self) -> String {
        if self.rest.next_if_eq(&'[').is_none() {
            let has_rings = self.has_rings;
            return self.take_while(|c| !("-=#:~()[]%".contains(c) || has_rings && c.is_ascii_digit()));
        }
        let mut name = String::new();
        loop {
            match self.rest.next().unwrap() {
                ']' => return name,
                '\\' => name.push(self.rest.next().unwrap()),
                other => name.push(other),
            }
        }
    }

    fn number(&mut self, long: bool) -> usize {
        if self.rest.next_if_eq(&'%').is_some() || long {
            self.take_while(|c| c.is_ascii_digit()).parse().unwrap()
        } else {
            self.rest.next().unwrap().to_digit(10).unwrap() as usize
        }
    }

    fn vertex(&mut self, rings: &mut BTreeMap<usize, u32>) -> u32 {
        let name = self.name();
        self.vertices.push(name);
        let here = self.vertices.len() as u32 - 1;
        while self.has_rings && self.rest.peek().is_some_and(|c| c.is_ascii_digit() || *c == '%') {
            let number = self.number(false);
            assert!(rings.insert(number, here).is_none());
        }
        here
    }

    fn edge(&mut self) -> String {
        let name = match self.rest.next().unwrap() {
            '-' if self.several_edge_labels => "single",
            '-' => "",
            '=' => "double",
            '#' => "triple",
            ':' => "aromatic",
            '~' => {
                let has_rings = std::mem::replace(&mut self.has_rings, false);
                let name = self.name();
                self.has_rings = has_rings;
                assert_eq!(self.rest.next(), Some('~'));
                return name;
            }
            other => panic!("{other}"),
        };
        name.to_owned()
    }

    fn branches(&mut self, mut here: u32, rings: &mut BTreeMap<usize, u32>) {
        while let Some(&next) = self.rest.peek() {
            if next == ')' {
                return;
            }
            let branch = self.rest.next_if_eq(&'(').is_some();
            let label = self.edge();
            if self.has_rings && self.rest.peek().is_some_and(char::is_ascii_digit) {
                let number = self.number(true);
                self.edges.push((rings[&number], here, label));
                continue;
            }
            let there = self.vertex(rings);
            self.edges.push((here, there, label));
            if branch {
                self.branches(there, rings);
                assert_eq!(self.rest.next(), Some(')'));
            } else {
                here = there;
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]
    #[test]
    fn what_was_drawn_can_be_read_back(
        pattern in connected_graph(Shape { vertices: 8, edges: 14, vertex_labels: 3, edge_labels: 3 }),
        vertex_words in prop::sample::select(vec![["C", "N", "Cl"], ["0", "1", "12"], ["a", "a1", "1"], ["O-", "b ]", "\\["]]),
        edge_words in prop::sample::select(vec![["single", "double", "aromatic"], ["0", "1", "12"], ["single", "x", "-"]]),
    ) {
        let (vertices, edges) = (words(&vertex_words), words(&edge_words));
        let text = on_one_line(&pattern, &vertices, &edges);
        let (names, found) = read(&text, true);
        let mut builder = Graph::builder();
        for name in &names {
            builder.add_vertex(vertices.label(name).unwrap_or(Label(u32::MAX))).unwrap();
        }
        for (from, to, name) in found {
            builder.add_edge(VertexId(from), VertexId(to), edges.label(&name).unwrap_or(Label(u32::MAX))).unwrap();
        }
        prop_assert_eq!(DfsCode::minimum_of(&builder.build()), DfsCode::minimum_of(&pattern), "{}", text);
    }
}
