//! Graphs as SVG: lines, letters and discs at the coordinates of the layout.
//!
//! Colours are classes with a fallback each, so that a page can set its own and a file on its own looks right.
//! Everything is in whole units, 30 to the length of an edge.

use super::kekule::kekulize;
use super::labels::Texts;
use super::layout::layout;
use super::palette::{Mark, Palette};
use super::tags::{Annotation, Kind};
use super::{Bond, Point};
use einsicht_graph::{EdgeId, Graph, VertexId};
use std::collections::BTreeMap;

/// Units of an edge.
const UNIT: f64 = 30.0;
/// Units around all vertices.
const MARGIN: f64 = 16.0;
/// The colour of lines and letters of files.
const INK: &str = "#1d2433";

/// Styles of all drawings. `currentColor` is that of the text around them.
pub(crate) const STYLE: &str = "\
.drawing{max-width:100%}\
.drawing .b{fill:none;stroke:currentColor;stroke-width:2;stroke-linecap:round;stroke-linejoin:round}\
.drawing .d{fill:none;stroke:currentColor;stroke-width:1.6;stroke-dasharray:4 4}\
.drawing .g{fill:none;stroke:var(--edge,#8a94a3);stroke-width:2}\
.drawing text{font:600 15px system-ui,-apple-system,'Segoe \
UI',Roboto,sans-serif;text-anchor:middle;dominant-baseline:central;fill:currentColor}\
.drawing .o{fill:none;stroke-width:18;stroke-linecap:round}\
.drawing text.v{font-size:11px;fill:#fff}\
.drawing text.s{font-size:10px}.drawing text.q{font-size:10.5px;font-weight:500;fill:var(--edge-text,#5a6576)}\
.drawing text.w{font-size:10px;font-weight:400;fill:var(--edge-text,#667080)}\
.drawing .N{fill:var(--atom-n,#2f55d4)}.drawing .O{fill:var(--atom-o,#d12c2c)}.drawing .S{fill:var(--atom-s,#9a7400)}\
.drawing .P{fill:var(--atom-p,#c2610c)}.drawing .X{fill:var(--atom-x,#1c8a3c)}.drawing .Br{fill:var(--atom-br,#96381f)}\
.drawing .I{fill:var(--atom-i,#7a2bb5)}\
.drawing .c0{stroke:#4477aa}.drawing .c1{stroke:#c44e52}.drawing .c2{stroke:#228833}.drawing \
.c3{stroke:#a87b00}.drawing .c4{stroke:#1f8a9c}\
.drawing .c5{stroke:#aa3377}.drawing .c6{stroke:#6b7280}.drawing .c7{stroke:#c8662a}.drawing \
.c8{stroke:#6a5acd}.drawing .c9{stroke:#7d5a4f}\
.drawing \
.h{fill:none;stroke:var(--mark,#f5b301);stroke-opacity:.55;stroke-width:15;stroke-linecap:round;stroke-linejoin:round}\
.drawing .rest{stroke:var(--rest,#b4bcc7)}.drawing text.rest{fill:var(--rest,#b4bcc7);stroke:none}";

/// Styles for a file of its own: what is said by variables, which converters to other formats do not know, is said by
/// their fallbacks.
pub(super) fn file_style(own: &str) -> String {
    let whole = format!("{STYLE}{own}").replace("currentColor", INK);
    let (mut style, mut rest) = (String::new(), &*whole);
    while let Some((before, after)) = rest.split_once("var(") {
        let (variable, behind) = after.split_once(')').unwrap_or((after, ""));
        style += before;
        style += variable.split_once(',').map_or("", |(_, fallback)| fallback);
        rest = behind;
    }
    format!("<style>{style}{rest}</style>")
}

/// A drawn graph: the content of `<svg>`, its size, and the coordinates of the vertices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Drawing {
    /// Width in units.
    pub width: i32,
    /// Height in units.
    pub height: i32,
    /// Lines, letters and discs.
    pub body: String,
    /// Coordinates of each vertex; empty if the graph is too large to draw.
    pub points: Vec<(i32, i32)>,
    /// What it shows, in words; empty if nobody said.
    pub title: String,
}

/// Draws a graph of the data. Of its qualifiers a molecule shows elements, charges and the hydrogens of heteroatoms.
///
/// # Panics
/// If a label of the graph is not one of the palette's.
pub fn draw(graph: &Graph, palette: &Palette) -> Drawing {
    drawn(graph, palette, Kind::Graph, whole(graph))
}

/// Draws a pattern, with everything that it requires of its vertices.
///
/// # Panics
/// If a label of the pattern is not one of the palette's.
pub(crate) fn draw_pattern(pattern: &Graph, palette: &Palette) -> Drawing {
    drawn(pattern, palette, Kind::Pattern, whole(pattern))
}

/// Draws a pattern whose first vertices and edges are its own; the rest, which belongs to an example, is grey.
pub(super) fn draw_with_rest(graph: &Graph, palette: &Palette, own: [usize; 2]) -> Drawing {
    drawn(graph, palette, Kind::Pattern, own)
}

fn whole(graph: &Graph) -> [usize; 2] {
    [graph.num_vertices(), graph.num_edges()]
}

fn drawn(graph: &Graph, palette: &Palette, kind: Kind, own: [usize; 2]) -> Drawing {
    let kinds: Vec<Bond> =
        graph.edges().iter().map(|edge| palette.bonds[edge.label.index()].unwrap_or(Bond::Single)).collect();
    let coordinates = layout(graph, &kinds);
    if coordinates.len() < graph.num_vertices() {
        let text = format!("<text x=\"150\" y=\"20\">{} vertices: too large to draw</text>", graph.num_vertices());
        return Drawing { width: 300, height: 40, body: text, ..Drawing::default() };
    }
    let least = |f: fn(&Point) -> f64| coordinates.iter().map(f).fold(f64::INFINITY, f64::min);
    let most = |f: fn(&Point) -> f64| coordinates.iter().map(f).fold(f64::NEG_INFINITY, f64::max);
    let (left, top) = (least(|p| p.x), least(|p| p.y));
    let (wide, high) = if coordinates.is_empty() { (0.0, 0.0) } else { (most(|p| p.x) - left, most(|p| p.y) - top) };
    let points = coordinates.iter().map(|p| Point::new((p.x - left) * UNIT + MARGIN, (p.y - top) * UNIT + MARGIN));
    let annotations = graph.vertices().map(|v| palette.annotation(graph, v, kind)).collect();
    let mut canvas = Canvas { graph, palette, points: points.collect(), annotations, own };
    let size = |length: f64| (length * UNIT + 2.0 * MARGIN).ceil();
    let (width, height) = canvas.make_room(size(wide), size(high));
    let body = if palette.is_chemical { canvas.molecule(&kinds) } else { canvas.plain(&kinds) };
    let points = canvas.points.iter().map(|&p| rounded(p)).collect();
    Drawing { width: width as i32, height: height as i32, body, points, title: String::new() }
}

pub(super) fn rounded(point: Point) -> (i32, i32) {
    (point.x.round() as i32, point.y.round() as i32)
}

/// A graph that is drawn, with the coordinates of its vertices.
pub(super) struct Canvas<'a> {
    pub(super) graph: &'a Graph,
    palette: &'a Palette,
    pub(super) points: Vec<Point>,
    /// What is drawn at each vertex besides its letter or disc.
    pub(super) annotations: Vec<Annotation>,
    /// How many of the first vertices and edges are drawn in full; the others are grey.
    own: [usize; 2],
}

impl Canvas<'_> {
    pub(super) fn mark(&self, vertex: usize) -> &Mark {
        self.palette.mark(self.graph, VertexId(vertex as u32))
    }

    /// The class of a vertex's letters.
    pub(super) fn class(&self, vertex: usize) -> String {
        let class = &self.mark(vertex).class;
        if vertex < self.own[0] { class.clone() } else { format!("{class} rest") }
    }

    /// Whether a vertex has a letter: all but carbons with nothing to show that are part of a larger structure.
    pub(super) fn has_letter(&self, vertex: usize) -> bool {
        let is_lone = self.graph.degree(VertexId(vertex as u32)) == 0 || self.graph.num_vertices() <= 2;
        !self.mark(vertex).is_silent || is_lone || !self.annotations[vertex].is_empty()
    }

    fn texts(&self) -> Texts {
        if self.palette.is_chemical { self.atom_texts() } else { self.disc_texts() }
    }

    /// Moves everything so that no text is cut off, and returns the size that is needed; at least the given one.
    fn make_room(&mut self, width: f64, height: f64) -> (f64, f64) {
        const BORDER: f64 = 3.0;
        let Some(bounds) = self.texts().bounds() else { return (width, height) };
        let shift = Point::new((BORDER - bounds.left).max(0.0).ceil(), (BORDER - bounds.top).max(0.0).ceil());
        self.points.iter_mut().for_each(|point| *point = point.plus(shift));
        let needed = |far: f64, size: f64, shift: f64| (far + BORDER).max(size).ceil() + shift;
        (needed(bounds.right, width, shift.x), needed(bounds.bottom, height, shift.y))
    }

    fn molecule(&self, kinds: &[Bond]) -> String {
        let kinds = kekulize(self.graph, &self.symbols(), kinds);
        let gap: Vec<f64> = (0..self.points.len()).map(|v| if self.has_letter(v) { 9.5 } else { 0.0 }).collect();
        self.lines(&kinds, &gap, "b") + &self.texts().svg()
    }

    /// Names of the atoms for the search for double bonds: an aromatic nitrogen with a hydrogen has none, unless it is
    /// charged.
    fn symbols(&self) -> Vec<&str> {
        let symbol = |v: usize| match (&self.annotations[v], self.mark(v).word.as_str()) {
            (Annotation { hydrogens: Some(_), charge: None, .. }, "N") => "NH",
            (_, word) => word,
        };
        (0..self.points.len()).map(symbol).collect()
    }

    fn plain(&self, kinds: &[Bond]) -> String {
        let mut body = self.lines(kinds, &vec![0.0; self.points.len()], "g");
        for edge in self.graph.edges() {
            let word = &self.palette.edge_words[edge.label.index()];
            if !word.is_empty() && self.graph.num_edges() <= 30 {
                let middle = self.points[edge.from.index()].plus(self.points[edge.to.index()]).times(0.5);
                let (x, y) = rounded(middle);
                body += &format!("<text class=\"w\" x=\"{x}\" y=\"{y}\">{}</text>", escape(word));
            }
        }
        // A line without length and with a round end is a disc, in a few bytes.
        let mut discs: BTreeMap<&str, String> = BTreeMap::new();
        for (vertex, point) in self.points.iter().enumerate() {
            let (x, y) = rounded(*point);
            *discs.entry(&self.mark(vertex).class).or_default() += &format!("M{x} {y}h0");
        }
        for (class, path) in discs {
            body += &format!("<path class=\"o {class}\" d=\"{path}\"/>");
        }
        body + &self.texts().svg()
    }

    /// All edges; they end at a distance (`gap`) from vertices with a letter.
    fn lines(&self, kinds: &[Bond], gap: &[f64], class: &str) -> String {
        // Solid and dashed lines: those of the graph, and those of the rest.
        let mut paths = [[String::new(), String::new()], [String::new(), String::new()]];
        for (at, (edge, kind)) in self.graph.edges().iter().zip(kinds).enumerate() {
            let [solid, dashed] = &mut paths[usize::from(at >= self.own[1])];
            let (from, to) = (edge.from.index(), edge.to.index());
            let (a, b) = (self.points[from], self.points[to]);
            let along = b.minus(a).times(1.0 / b.minus(a).length().max(1e-9));
            let across = Point::new(-along.y, along.x);
            // Distance from the middle line, and how much shorter each end is.
            let line = |offset: f64, cut: (f64, f64)| {
                let start = a.plus(along.times(gap[from] + cut.0)).plus(across.times(offset));
                let end = b.minus(along.times(gap[to] + cut.1)).plus(across.times(offset));
                let ((x, y), (u, v)) = (rounded(start), rounded(end));
                format!("M{x} {y}L{u} {v}")
            };
            match kind {
                Bond::Single => *solid += &line(0.0, (0.0, 0.0)),
                Bond::Triple => {
                    *solid += &line(0.0, (0.0, 0.0));
                    *solid += &line(4.5, (0.0, 0.0));
                    *solid += &line(-4.5, (0.0, 0.0));
                }
                Bond::Double | Bond::Aromatic => match self.inner_side(from, to, across) {
                    None if *kind == Bond::Double => {
                        *solid += &line(2.5, (0.0, 0.0));
                        *solid += &line(-2.5, (0.0, 0.0));
                    }
                    side => {
                        let cut = |v: usize| if side.is_none() || gap[v] > 0.0 { 0.0 } else { 4.5 };
                        let second = line(side.unwrap_or(1.0) * 5.0, (cut(from), cut(to)));
                        *solid += &line(0.0, (0.0, 0.0));
                        *if *kind == Bond::Double { solid } else { dashed } += &second;
                    }
                },
            }
        }
        let mut body = String::new();
        let [own, rest] = paths;
        for ([solid, dashed], more) in [(rest, " rest"), (own, "")] {
            for (class, path) in [(class, solid), ("d", dashed)] {
                if !path.is_empty() {
                    body += &format!("<path class=\"{class}{more}\" d=\"{path}\"/>");
                }
            }
        }
        body
    }

    /// On which side of an edge its second line goes: where most neighbours of its ends are. None if it ends at a leaf
    /// with as many neighbours on both sides.
    fn inner_side(&self, from: usize, to: usize, across: Point) -> Option<f64> {
        let mut balance = 0.0;
        let mut ends = 0;
        for (here, other) in [(from, to), (to, from)] {
            let neighbors = self.graph.neighbors(VertexId(here as u32)).iter();
            let others = neighbors.map(|n| n.vertex.index()).filter(|&v| v != other);
            let mut any = false;
            for vertex in others {
                let apart = self.points[vertex].minus(self.points[here]);
                let side = apart.x * across.x + apart.y * across.y;
                balance += if side.abs() < 1.0 { 0.0 } else { side.signum() };
                any = true;
            }
            ends += usize::from(any);
        }
        if ends < 2 && balance == 0.0 {
            return None;
        }
        Some(if balance >= 0.0 { 1.0 } else { -1.0 })
    }
}

impl Drawing {
    /// The same with a title.
    #[must_use]
    pub fn titled(self, title: String) -> Self {
        Self { title, ..self }
    }

    /// The drawing as an element of a page, with some edges highlighted.
    pub fn svg(&self, graph: &Graph, highlighted: &[EdgeId], title: &str) -> String {
        format!(
            "<svg class=\"drawing\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" \
             height=\"{h}\" \
             role=\"img\" aria-label=\"{}\">{}{}</svg>",
            escape(title),
            self.highlight(graph, highlighted),
            self.body,
            w = self.width,
            h = self.height,
        )
    }

    /// A drawing that is a file of its own.
    pub fn file(&self, graph: &Graph, highlighted: &[EdgeId], title: &str) -> String {
        let svg = self.svg(graph, highlighted, title);
        svg.replacen('>', &format!(">{}", file_style("")), 1)
    }

    /// Broad lines under some edges.
    pub(crate) fn highlight(&self, graph: &Graph, edges: &[EdgeId]) -> String {
        if edges.is_empty() || self.points.is_empty() {
            return String::new();
        }
        let mut path = String::new();
        for edge in edges.iter().map(|edge| &graph.edges()[edge.index()]) {
            let ((x, y), (u, v)) = (self.points[edge.from.index()], self.points[edge.to.index()]);
            path += &format!("M{x} {y}L{u} {v}");
        }
        format!("<path class=\"h\" d=\"{path}\"/>")
    }
}

/// Text that is safe inside of a page, also between quotation marks.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            c if c.is_control() => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}
