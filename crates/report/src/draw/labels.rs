//! Texts of a drawing: letters, hydrogens and charges of atoms, and words beside vertices, placed where there is room.
//!
//! Promise: hydrogens and charge stand next to the letter, on a side without bonds if there is one. Words are placed
//! one vertex after another, at the first of a few positions around it that hides least. The same graph gives the same
//! texts.

use super::Point;
use super::svg::{Canvas, escape, rounded};
use super::tags::Annotation;
use einsicht_graph::VertexId;
use std::collections::BTreeMap;

/// Font size of letters.
const LETTER: f64 = 15.0;
/// Font size of numbers and signs at letters.
const SCRIPT: f64 = 10.0;
/// Font size and line height of words.
const WORDS: (f64, f64) = (10.5, 11.0);

#[derive(Clone, Copy, Debug)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    fn around(middle: Point, width: f64, height: f64) -> Self {
        let (x, y) = (width / 2.0, height / 2.0);
        Self { left: middle.x - x, top: middle.y - y, right: middle.x + x, bottom: middle.y + y }
    }

    fn join(self, other: Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    fn contains(&self, point: Point) -> bool {
        (self.left..=self.right).contains(&point.x) && (self.top..=self.bottom).contains(&point.y)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right && other.left < self.right && self.top < other.bottom && other.top < self.bottom
    }
}

/// Texts with their positions.
#[derive(Default)]
pub(super) struct Texts {
    /// Middle, class and content.
    texts: Vec<(Point, String, String)>,
    /// What letters, hydrogens and words of each vertex cover.
    areas: Vec<Area>,
}

impl Texts {
    fn add(&mut self, middle: Point, class: &str, content: &str) {
        self.texts.push((middle, class.to_owned(), content.to_owned()));
    }

    /// The rectangle around all texts.
    pub(super) fn bounds(&self) -> Option<Area> {
        self.areas.iter().copied().reduce(Area::join)
    }

    /// All texts. Letters of one style are one element that lists their coordinates.
    pub(super) fn svg(&self) -> String {
        let mut body = String::new();
        let mut letters: BTreeMap<&str, [String; 3]> = BTreeMap::new();
        for (middle, class, content) in &self.texts {
            let ((x, y), text) = (rounded(*middle), escape(content));
            if content.chars().count() == 1 && text == *content {
                let [xs, ys, all] = letters.entry(class).or_default();
                *xs += &format!("{x} ");
                *ys += &format!("{y} ");
                *all += &text;
            } else {
                body += &format!("<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
            }
        }
        for (class, [xs, ys, text]) in letters {
            body += &format!("<text class=\"{class}\" x=\"{}\" y=\"{}\">{text}</text>", xs.trim_end(), ys.trim_end());
        }
        body
    }
}

/// The side of a letter where its hydrogens stand.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Right,
    Left,
    Above,
    Below,
}

impl Side {
    const ALL: [(Self, Point); 4] = [
        (Self::Right, Point::new(1.0, 0.0)),
        (Self::Left, Point::new(-1.0, 0.0)),
        (Self::Above, Point::new(0.0, -1.0)),
        (Self::Below, Point::new(0.0, 1.0)),
    ];
}

impl Canvas<'_> {
    /// Letters, hydrogens, charges and words of a molecule.
    pub(super) fn atom_texts(&self) -> Texts {
        let mut texts = Texts::default();
        let lettered: Vec<usize> = (0..self.points.len()).filter(|&v| self.has_letter(v)).collect();
        for &vertex in &lettered {
            let mark = self.mark(vertex);
            let middle = self.points[vertex];
            texts.add(middle, &self.class(vertex), &mark.word);
            let half = width(&mark.word, LETTER) / 2.0;
            let letter = Area::around(middle, 2.0 * half, LETTER);
            let scripts = self.scripts(vertex, half, &mut texts);
            texts.areas.push(scripts.map_or(letter, |area| letter.join(area)));
        }
        let areas = texts.areas.clone();
        for (&vertex, area) in lettered.iter().zip(areas) {
            self.place_words(vertex, area, &mut texts);
        }
        texts
    }

    /// Short names on the discs of a graph that is no molecule, and words beside them.
    pub(super) fn disc_texts(&self) -> Texts {
        let mut texts = Texts::default();
        for (vertex, &middle) in self.points.iter().enumerate() {
            let word = &self.mark(vertex).word;
            if (1..=2).contains(&word.chars().count()) {
                texts.add(middle, "v", word);
            }
            texts.areas.push(Area::around(middle, 18.0, 18.0));
        }
        let areas = texts.areas.clone();
        for (vertex, area) in areas.into_iter().enumerate() {
            self.place_words(vertex, area, &mut texts);
        }
        texts
    }

    /// Hydrogens and charge at the letter of a vertex, and what they cover. `half` is half the width of the letter.
    fn scripts(&self, vertex: usize, half: f64, texts: &mut Texts) -> Option<Area> {
        let (middle, mark) = (self.points[vertex], self.mark(vertex));
        let Annotation { hydrogens, charge, .. } = &self.annotations[vertex];
        let small = format!("{} s", mark.class);
        let count = hydrogens.filter(|count| *count > 1).map(|count| count.to_string()).unwrap_or_default();
        let (wide, narrow) = (width("H", LETTER), width(&count, SCRIPT));
        let side = if hydrogens.is_some() { self.free_side(vertex) } else { Side::Left };
        let start = match side {
            Side::Right => middle.plus(Point::new(half, 0.0)),
            Side::Left => middle.minus(Point::new(half + wide + narrow, 0.0)),
            Side::Above => middle.plus(Point::new(-wide / 2.0, -14.0)),
            Side::Below => middle.plus(Point::new(-wide / 2.0, 14.0)),
        };
        let mut area = None;
        if hydrogens.is_some() {
            texts.add(start.plus(Point::new(wide / 2.0, 0.0)), &mark.class, "H");
            if !count.is_empty() {
                texts.add(start.plus(Point::new(wide + narrow / 2.0, 4.0)), &small, &count);
            }
            let center = start.plus(Point::new(f64::midpoint(wide, narrow), 1.0));
            area = Some(Area::around(center, wide + narrow, LETTER + 2.0));
        }
        if let Some(charge) = charge {
            let sign = sign(*charge);
            let wide = if side == Side::Right { wide + narrow } else { 0.0 };
            let center = middle.plus(Point::new(half + wide + width(&sign, SCRIPT) / 2.0, -6.0));
            texts.add(center, &small, &sign);
            let own = Area::around(center, width(&sign, SCRIPT), SCRIPT);
            area = Some(area.map_or(own, |area| area.join(own)));
        }
        area
    }

    /// To the right or left if no bond is near, else the side farthest from one.
    fn free_side(&self, vertex: usize) -> Side {
        let here = self.points[vertex];
        let neighbors = self.graph.neighbors(VertexId(vertex as u32));
        // The cosine of the angle to the next bond.
        let nearest = |direction: Point| {
            let bonds = neighbors.iter().map(|n| self.points[n.vertex.index()].minus(here));
            let cosines = bonds.map(|b| (b.x * direction.x + b.y * direction.y) / b.length().max(1e-9));
            cosines.fold(-1.0_f64, f64::max)
        };
        let sides = Side::ALL.map(|(side, direction)| (side, nearest(direction)));
        let free = sides[..2].iter().find(|(_, cosine)| *cosine < 0.6);
        free.or_else(|| sides.iter().min_by(|a, b| a.1.total_cmp(&b.1))).map_or(Side::Right, |(side, _)| *side)
    }

    /// Words beside a vertex, whose letter or disc covers `own`.
    fn place_words(&self, vertex: usize, own: Area, texts: &mut Texts) {
        let lines = &self.annotations[vertex].lines;
        if lines.is_empty() {
            return;
        }
        let wide = lines.iter().map(|line| width(line, WORDS.0)).fold(0.0, f64::max);
        let high = WORDS.1 * lines.len() as f64;
        let best = positions(self.points[vertex], own, wide, high)
            .map(|middle| {
                let area = Area::around(middle, wide, high);
                (self.hidden(&area, texts) + self.misread(vertex, &area), middle)
            })
            .into_iter()
            .reduce(|best, next| if next.0 < best.0 { next } else { best });
        let Some((_, middle)) = best else { return };
        for (at, line) in lines.iter().enumerate() {
            let down = (at as f64 + 0.5) * WORDS.1 - high / 2.0;
            texts.add(middle.plus(Point::new(0.0, down)), "q", line);
        }
        texts.areas.push(Area::around(middle, wide, high));
    }

    /// The letters of other vertices at which the words in an area might be taken to stand.
    fn misread(&self, vertex: usize, area: &Area) -> usize {
        const NEAR: f64 = 18.0;
        let reach = Area { top: area.top - NEAR, bottom: area.bottom + NEAR, ..*area };
        (0..self.points.len())
            .filter(|&other| other != vertex && self.has_letter(other) && reach.contains(self.points[other]))
            .count()
    }

    /// How much of the drawing an area hides: texts count more than bonds.
    fn hidden(&self, area: &Area, texts: &Texts) -> usize {
        const SAMPLES: usize = 12;
        let room =
            Area { left: area.left - 3.0, top: area.top - 2.0, right: area.right + 3.0, bottom: area.bottom + 2.0 };
        let with_gaps = Area { left: area.left - 8.0, right: area.right + 8.0, ..*area };
        let behind = texts.areas.iter().filter(|other| with_gaps.overlaps(other)).count();
        let mut hidden = 100 * behind;
        for edge in self.graph.edges() {
            let (from, to) = (self.points[edge.from.index()], self.points[edge.to.index()]);
            let sample = |at: usize| from.plus(to.minus(from).times(at as f64 / SAMPLES as f64));
            hidden += (0..=SAMPLES).filter(|&at| room.contains(sample(at))).count();
        }
        hidden
    }
}

/// Where words of this size may stand around what a vertex covers, the best first: beside a letter they might read as
/// its continuation.
fn positions(vertex: Point, own: Area, wide: f64, high: f64) -> [Point; 10] {
    let (right, left) = (own.right + 8.5 + wide / 2.0, own.left - 8.5 - wide / 2.0);
    let (below, above) = (own.bottom + high / 2.0, own.top - high / 2.0);
    let (inner_right, inner_left) = (vertex.x - 4.0 + wide / 2.0, vertex.x + 4.0 - wide / 2.0);
    [
        Point::new(vertex.x, below),
        Point::new(vertex.x, above),
        Point::new(inner_right, below),
        Point::new(inner_left, below),
        Point::new(inner_right, above),
        Point::new(inner_left, above),
        Point::new(right, vertex.y),
        Point::new(left, vertex.y),
        Point::new(vertex.x, below + 8.0),
        Point::new(vertex.x, above - 8.0),
    ]
}

/// A charge as chemists write it: `+`, `2−`.
fn sign(charge: i32) -> String {
    let sign = if charge < 0 { "−" } else { "+" };
    match charge.unsigned_abs() {
        1 => sign.to_owned(),
        more => format!("{more}{sign}"),
    }
}

/// The width of a text, about.
fn width(text: &str, size: f64) -> f64 {
    let of = |c: char| match c {
        'i' | 'l' | 'j' | 'f' | 't' | 'r' | ' ' | '.' | ',' | '-' => 0.33,
        'm' | 'w' => 0.85,
        c if c.is_uppercase() => 0.72,
        _ => 0.57,
    };
    size * text.chars().map(of).sum::<f64>()
}
