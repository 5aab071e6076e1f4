//! What a coordinator asks the shards, and what they answer.
//!
//! The first byte of a request is its kind, the first byte of a reply says whether the shard knows the pass ([`KNOWN`])
//! or not ([`LOST`]): a worker that took the place of another knows none. All else is written as in `wire.rs`. Patterns
//! are sent as codes, so that any worker with the graphs can answer.

use super::wire::{Broken, Reader, Writer};
use crate::feature::{CountTransform, Values};
use einsicht_graph::{DfsCode, Step};

/// First byte of a reply.
pub(super) const KNOWN: u8 = 1;
/// First byte of the reply of a worker that does not know the pass; nothing follows.
pub(super) const LOST: u8 = 0;

/// What a coordinator asks.
pub(super) enum Request {
    /// A pass begins. The reply has the class of each of `known` and of `banned`, see [`Begin`].
    Begin(Begin),
    /// The children of these patterns, or the smallest patterns if there are none: an [`Expansion`] each.
    Expand { pass: u64, patterns: Vec<DfsCode> },
    /// The class of each of these patterns and the sums of its blocks: [`ExactSums`] each.
    Sums { pass: u64, patterns: Vec<DfsCode> },
    /// The [`Rows`] of each of these patterns.
    Supports { patterns: Vec<DfsCode> },
    /// Of the children of these patterns (or the smallest ones) those that contain these rows: [`Containing`] each.
    Members { rows: Vec<u32>, counts: Vec<u32>, patterns: Vec<DfsCode> },
}

/// A pass, with the rows of delta that belong to the shard.
pub(super) struct Begin {
    pub(super) pass: u64,
    pub(super) values: Values,
    pub(super) hidden: usize,
    pub(super) delta: Vec<f64>,
    /// Patterns whose classes are wanted.
    pub(super) known: Vec<DfsCode>,
    /// Rows and counts of supports whose classes are wanted.
    pub(super) banned: Vec<(Vec<u32>, Vec<u32>)>,
}

/// One child of a pattern in one shard.
#[derive(Clone, Debug)]
pub(super) struct Child {
    pub(super) step: Step,
    /// Its last qualifier says nothing in this shard.
    pub(super) says_nothing: bool,
    /// Nothing is grown from it in this shard.
    pub(super) is_leaf: bool,
    /// Graphs that contain it.
    pub(super) size: u64,
    /// `P`, then `N`, over the shard.
    pub(super) sums: Vec<f64>,
    /// The same of the values that bound those of all that is grown from it; empty if they are the same.
    pub(super) bounding: Vec<f64>,
}

/// The children of a pattern in one shard; nothing if it is not there.
pub(super) type Expansion = Option<Vec<Child>>;

/// A pattern in one shard: the number of its support from 1, 0 if it is not there; `P` and `N` of each block that has
/// it, in row order.
pub(super) struct ExactSums {
    pub(super) class: u32,
    pub(super) blocks: Vec<f64>,
}

/// Where a pattern is in one shard.
pub(super) struct Rows {
    /// Whether the pattern without its last step is there.
    pub(super) has_parent: bool,
    pub(super) says_nothing: bool,
    pub(super) graphs: Vec<u32>,
    pub(super) counts: Vec<u32>,
}

/// A child that contains the rows of a class.
pub(super) struct Containing {
    pub(super) step: Step,
    pub(super) is_equal: bool,
    pub(super) says_nothing: bool,
}

const VALUES: [Values; 5] = [
    Values::Presence,
    Values::Count(CountTransform::Identity),
    Values::Count(CountTransform::Log1p),
    Values::Mni(CountTransform::Identity),
    Values::Mni(CountTransform::Log1p),
];

impl Request {
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Self::Begin(begin) => begin.write(&mut writer),
            Self::Expand { pass, patterns } => {
                writer.byte(1);
                writer.number(*pass);
                writer.codes(patterns);
            }
            Self::Sums { pass, patterns } => {
                writer.byte(2);
                writer.number(*pass);
                writer.codes(patterns);
            }
            Self::Supports { patterns } => {
                writer.byte(3);
                writer.codes(patterns);
            }
            Self::Members { rows, counts, patterns } => {
                writer.byte(4);
                writer.rows(rows);
                writer.numbers(counts);
                writer.codes(patterns);
            }
        }
        writer.0
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, Broken> {
        let mut reader = Reader(bytes);
        let request = match reader.byte()? {
            0 => Self::Begin(Begin::read(&mut reader)?),
            1 => Self::Expand { pass: reader.number()?, patterns: reader.codes()? },
            2 => Self::Sums { pass: reader.number()?, patterns: reader.codes()? },
            3 => Self::Supports { patterns: reader.codes()? },
            4 => {
                let (rows, counts, patterns) = (reader.rows()?, reader.numbers()?, reader.codes()?);
                are_parallel(&rows, &counts)?;
                Self::Members { rows, counts, patterns }
            }
            _ => return Err("there is no such request"),
        };
        reader.end()?;
        Ok(request)
    }
}

fn are_parallel(rows: &[u32], counts: &[u32]) -> Result<(), Broken> {
    if counts.is_empty() || counts.len() == rows.len() { Ok(()) } else { Err("there must be one count per row") }
}

impl Begin {
    fn write(&self, writer: &mut Writer) {
        writer.byte(0);
        writer.number(self.pass);
        writer.byte(VALUES.iter().position(|values| *values == self.values).unwrap_or(0) as u8);
        writer.number(self.hidden as u64);
        writer.number(self.delta.len() as u64);
        writer.floats(&self.delta);
        writer.codes(&self.known);
        writer.number(self.banned.len() as u64);
        for (rows, counts) in &self.banned {
            writer.rows(rows);
            writer.numbers(counts);
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Self, Broken> {
        let pass = reader.number()?;
        let values = *VALUES.get(usize::from(reader.byte()?)).ok_or("there are no such values")?;
        let (hidden, cells) = (reader.small()? as usize, reader.len()?);
        if hidden == 0 || !cells.is_multiple_of(hidden) {
            return Err("delta must have whole rows");
        }
        let (delta, known) = (reader.floats(cells)?, reader.codes()?);
        let banned = reader.len()?;
        let mut banned_rows = Vec::with_capacity(banned);
        for _ in 0..banned {
            let (rows, counts) = (reader.rows()?, reader.numbers()?);
            are_parallel(&rows, &counts)?;
            banned_rows.push((rows, counts));
        }
        Ok(Self { pass, values, hidden, delta, known, banned: banned_rows })
    }
}

const SAYS_NOTHING: u8 = 1;
const IS_LEAF: u8 = 2;
const HAS_BOUNDING: u8 = 4;
const IS_EQUAL: u8 = 8;
const HAS_PARENT: u8 = 16;

fn flag(is_set: bool, flag: u8) -> u8 {
    if is_set { flag } else { 0 }
}

/// The children of a pattern, or that it is not there: the number of children from 1, or 0.
pub(super) fn write_expansion(writer: &mut Writer, expansion: &Expansion) {
    let Some(children) = expansion else { return writer.number(0) };
    writer.number(children.len() as u64 + 1);
    for child in children {
        writer.step(child.step);
        writer.byte(
            flag(child.says_nothing, SAYS_NOTHING)
                | flag(child.is_leaf, IS_LEAF)
                | flag(!child.bounding.is_empty(), HAS_BOUNDING),
        );
        writer.number(child.size);
        writer.floats(&child.sums);
        writer.floats(&child.bounding);
    }
}

pub(super) fn read_expansion(reader: &mut Reader<'_>, hidden: usize) -> Result<Expansion, Broken> {
    let Some(len) = reader.number()?.checked_sub(1) else { return Ok(None) };
    let mut children = Vec::new();
    for _ in 0..len {
        let (step, flags) = (reader.step()?, reader.byte()?);
        let (size, sums) = (reader.number()?, reader.floats(2 * hidden)?);
        let bounding = reader.floats(if flags & HAS_BOUNDING == 0 { 0 } else { 2 * hidden })?;
        let (says_nothing, is_leaf) = (flags & SAYS_NOTHING != 0, flags & IS_LEAF != 0);
        children.push(Child { step, says_nothing, is_leaf, size, sums, bounding });
    }
    Ok(Some(children))
}

impl ExactSums {
    pub(super) fn write(&self, writer: &mut Writer, hidden: usize) {
        writer.number(self.class.into());
        writer.number((self.blocks.len() / (2 * hidden)) as u64);
        writer.floats(&self.blocks);
    }

    pub(super) fn read(reader: &mut Reader<'_>, hidden: usize) -> Result<Self, Broken> {
        let (class, blocks) = (reader.small()?, reader.len()?);
        Ok(Self { class, blocks: reader.floats(blocks.saturating_mul(2 * hidden))? })
    }
}

impl Rows {
    pub(super) fn write(&self, writer: &mut Writer) {
        writer.byte(flag(self.has_parent, HAS_PARENT) | flag(self.says_nothing, SAYS_NOTHING));
        writer.rows(&self.graphs);
        writer.numbers(&self.counts);
    }

    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, Broken> {
        let flags = reader.byte()?;
        let (graphs, counts) = (reader.rows()?, reader.numbers()?);
        are_parallel(&graphs, &counts)?;
        Ok(Self { has_parent: flags & HAS_PARENT != 0, says_nothing: flags & SAYS_NOTHING != 0, graphs, counts })
    }
}

pub(super) fn write_containing(writer: &mut Writer, children: &[Containing]) {
    writer.number(children.len() as u64);
    for child in children {
        writer.step(child.step);
        writer.byte(flag(child.is_equal, IS_EQUAL) | flag(child.says_nothing, SAYS_NOTHING));
    }
}

pub(super) fn read_containing(reader: &mut Reader<'_>) -> Result<Vec<Containing>, Broken> {
    let len = reader.len()?;
    let mut children = Vec::with_capacity(len);
    for _ in 0..len {
        let (step, flags) = (reader.step()?, reader.byte()?);
        children.push(Containing { step, is_equal: flags & IS_EQUAL != 0, says_nothing: flags & SAYS_NOTHING != 0 });
    }
    Ok(children)
}
