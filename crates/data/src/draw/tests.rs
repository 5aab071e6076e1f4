//! What is drawn, and that it can be read back: by a small reader that nothing else needs.

use super::*;
use crate::dataset::vocabulary::Vocabulary;
use crate::qualify::QualifierValue;
use einsicht_graph::{DfsCode, Label};
use einsicht_testkit::strategy::{Shape, connected_graph, graph_of};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

fn words_of(tokens: &[&str]) -> Vocabulary {
    Vocabulary::from_tokens(tokens.iter().copied())
}

#[test]
fn patterns_look_as_a_chemist_would_write_them() {
    let (atoms, bonds) = (words_of(&["C", "N", "O"]), words_of(&["aromatic", "double", "single"]));
    let acetamide = graph_of(&[0, 0, 1, 2], &[(0, 1, 2), (1, 2, 2), (1, 3, 1)]);
    assert_eq!(Names::plain(&atoms, &bonds).one_line(&acetamide), "C-C(=O)-N");
    let ring: Vec<(u32, u32, u32)> = (0..6).map(|v| (v, (v + 1) % 6, 0)).chain([(0, 6, 2)]).collect();
    let phenol = graph_of(&[0, 0, 0, 0, 0, 0, 2], &ring);
    assert_eq!(Names::plain(&atoms, &bonds).one_line(&phenol), "O-C1:C:C:C:C:C:1");
    assert_eq!(Names::plain(&atoms, &words_of(&[""])).one_line(&phenol), "O-C1-C-C-C-C-C-1");
}

#[test]
fn numbers_and_odd_names_cannot_be_misread() {
    let path = graph_of(&[0, 1, 0], &[(0, 1, 0), (1, 2, 1)]);
    let triangle = graph_of(&[0, 1, 0], &[(0, 1, 0), (1, 2, 1), (2, 0, 0)]);
    let (numbers, odd) = (words_of(&["0", "1"]), words_of(&["O-", "a]b"]));
    assert_eq!(Names::plain(&numbers, &words_of(&[""])).one_line(&path), "0-1-0");
    assert_eq!(Names::plain(&numbers, &words_of(&["2", "y"])).one_line(&path), "0~2~1~y~0");
    assert_eq!(Names::plain(&numbers, &numbers).one_line(&triangle), "[0]1~0~[0]~1~[1]~0~1");
    assert_eq!(Names::plain(&odd, &words_of(&[""])).one_line(&path), "[O-]-[a\\]b]-[O-]");
}

/// A table with names that are hard to read.
fn table() -> Qualifiers {
    let pairs = [("hydrogens", "2"), ("ring", "aromatic"), ("a,b", "]"), ("\\", "[,")];
    let value = |(property, token): (&str, &str)| QualifierValue { property: property.into(), token: token.into() };
    Qualifiers::from_values(pairs.map(value).to_vec(), true).unwrap()
}

#[test]
fn qualifiers_stand_in_brackets_behind_the_name() {
    let (atoms, bonds, table) = (words_of(&["C", "N", "O-"]), words_of(&["aromatic", "single"]), table());
    let names = Names { vertex_labels: &atoms, edge_labels: &bonds, qualifiers: &table };
    let mut ring = graph_of(&[1, 0, 0, 2], &[(0, 1, 1), (1, 2, 0), (2, 3, 0), (3, 1, 0)]);
    ring.set_qualifiers(vec![0b1, 0b10, 0b11, 0b110]);
    assert_eq!(names.one_line(&ring), "N[H2]-C[aromatic]1:C[H2,aromatic]:[O-][aromatic,a\\,b=\\]]:1");
    assert_eq!(names.words(&ring), "N with 2 H - C1 aromatic : C with 2 H, aromatic : [O-] with a,b ], aromatic : 1");
    let mut atom = graph_of(&[1], &[]);
    atom.set_qualifiers(vec![0b1]);
    assert_eq!((names.one_line(&atom), names.words(&atom)), ("N[H2]".into(), "N with 2 H".into()));
}

/// Vertices with their names and qualifiers, and edges with their names.
type Drawn = (Vec<(String, Vec<String>)>, Vec<(u32, u32, String)>);

/// Reads what [`Names::one_line`] draws.
fn read(text: &str, several_edge_labels: bool) -> Drawn {
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
    vertices: Vec<(String, Vec<String>)>,
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

    /// A list in brackets, if there is one.
    fn qualifiers(&mut self) -> Vec<String> {
        if self.rest.next_if_eq(&'[').is_none() {
            return Vec::new();
        }
        let mut names = vec![String::new()];
        loop {
            let last = names.last_mut().unwrap();
            match self.rest.next().unwrap() {
                ']' => return names,
                ',' => names.push(String::new()),
                '\\' => last.push(self.rest.next().unwrap()),
                other => last.push(other),
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
        let qualifiers = self.qualifiers();
        self.vertices.push((name, qualifiers));
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
        vertex_words in prop::sample::select(
            vec![["C", "N", "Cl"], ["0", "1", "12"], ["a", "a1", "1"], ["O-", "b ]", "\\["]]
        ),
        edge_words in prop::sample::select(
            vec![["single", "double", "aromatic"], ["0", "1", "12"], ["single", "x", "-"]]
        ),
        sets in prop::option::of(prop::collection::vec(0..16_u64, 8)),
    ) {
        let (mut pattern, table) = (pattern, table());
        if let Some(sets) = sets {
            pattern.set_qualifiers(sets[..pattern.num_vertices()].to_vec());
        }
        let (vertices, edges) = (words_of(&vertex_words), words_of(&edge_words));
        let names = Names { vertex_labels: &vertices, edge_labels: &edges, qualifiers: &table };
        let text = names.one_line(&pattern);
        let is_qualified = pattern.all_qualifiers().iter().any(|set| *set != 0);
        prop_assert!(is_qualified || text == Names::plain(&vertices, &edges).one_line(&pattern));
        let (drawn, found) = read(&text, true);
        let mut builder = Graph::builder();
        let mut sets = Vec::new();
        for (name, qualifiers) in &drawn {
            sets.push(qualifiers.iter().map(|name| 1 << table.bit_of_name(name).unwrap()).sum());
            builder.add_vertex(vertices.label(name).unwrap_or(Label(u32::MAX))).unwrap();
        }
        for (from, to, name) in found {
            builder.add_edge(VertexId(from), VertexId(to), edges.label(&name).unwrap_or(Label(u32::MAX))).unwrap();
        }
        let mut back = builder.build();
        back.set_qualifiers(sets);
        prop_assert_eq!(DfsCode::minimum_of(&back), DfsCode::minimum_of(&pattern), "{}", text);
    }
}
