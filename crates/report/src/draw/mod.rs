//! Drawings of graphs as SVG.
//!
//! Promise: the same graph gives the same bytes. Molecules look as chemists draw them (regular rings, zigzag chains, no
//! letter for carbon, heteroatoms in their colours); other graphs are laid out by stress majorization, vertices in the
//! colour of their label. What a pattern requires of a vertex stands beside it. Text from the data is escaped. Knows
//! nothing of models: the caller says what is highlighted.

mod context;
pub mod figure;
mod heat;
mod kekule;
mod labels;
mod layout;
mod palette;
pub(crate) mod svg;
mod tags;

pub(crate) use context::{draw_in_known_rings, draw_in_rings, has_ring};
pub use palette::Palette;
pub use svg::{Drawing, draw};
pub(crate) use svg::{draw_pattern, escape};

/// How an edge is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bond {
    /// One line.
    Single,
    /// Two lines.
    Double,
    /// Three lines.
    Triple,
    /// A line and a dashed one.
    Aromatic,
}

impl Bond {
    /// The bond of an edge label's name; other labels are drawn as one line.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        match name {
            "single" => Some(Self::Single),
            "double" => Some(Self::Double),
            "triple" => Some(Self::Triple),
            "aromatic" => Some(Self::Aromatic),
            _ => None,
        }
    }
}

/// A point; one unit is the length of an edge.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    /// To the right.
    pub(crate) x: f64,
    /// Downwards.
    pub(crate) y: f64,
}

impl Point {
    pub(crate) const fn new(x: f64, y: f64) -> Self {
        Self { x, y }
    }

    /// The point at this angle and distance from the origin.
    pub(crate) fn polar(angle: f64, distance: f64) -> Self {
        Self { x: distance * libm::cos(angle), y: distance * libm::sin(angle) }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }

    pub(crate) fn minus(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Self { x: self.x * factor, y: self.y * factor }
    }

    pub(crate) fn length(self) -> f64 {
        (self.x * self.x + self.y * self.y).sqrt()
    }

    pub(crate) fn angle(self) -> f64 {
        libm::atan2(self.y, self.x)
    }

    /// Rotated around the origin.
    pub(crate) fn rotated(self, angle: f64) -> Self {
        let (sin, cos) = (libm::sin(angle), libm::cos(angle));
        Self { x: self.x * cos - self.y * sin, y: self.x * sin + self.y * cos }
    }
}

/// The mean of some points; the origin if there is none.
pub(crate) fn center(points: impl Iterator<Item = Point>) -> Point {
    let (mut sum, mut count) = (Point::default(), 0.0);
    for point in points {
        sum = sum.plus(point);
        count += 1.0;
    }
    if count > 0.0 { sum.times(1.0 / count) } else { sum }
}

#[cfg(test)]
mod tests;
