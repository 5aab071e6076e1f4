//! Ring bonds, and the rings that matter to aromaticity.
//!
//! A ring is *relevant* if it is no sum of shorter ones: the set that RDKit 2026.09 perceives. Here only
//! rings up to a given length are looked for; the caller asks whether they are enough.

use super::Sketch;
use chematic_core as core;
use einsicht_graph::{EdgeId, RingEdges, Way};

/// Most rings that are looked at in one system; more are not ordinary.
const MOST_RINGS: usize = 64;

pub(super) fn ring_bonds(parsed: &core::Molecule) -> Vec<bool> {
    let mut rings = RingEdges::default();
    rings.find_by([parsed.atom_count(), parsed.bond_count()], |atom, at| {
        let &(near, bond) = parsed.neighbor_slice(core::AtomIdx(atom)).get(at as usize)?;
        Some(Way::To { vertex: near.0, edge: bond.0 })
    });
    (0..parsed.bond_count()).map(|bond| rings.contains(EdgeId(bond as u32))).collect()
}

/// The largest number of independent rings that ring bonds hold together.
pub(super) fn most_together(parsed: &core::Molecule, ring_bonds: &[bool]) -> usize {
    let mut seen = vec![false; parsed.atom_count()];
    let mut most = 0;
    for root in 0..seen.len() {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut stack = vec![root];
        let (mut atoms, mut ends) = (0, 0);
        while let Some(atom) = stack.pop() {
            atoms += 1;
            for (near, _) in parsed.neighbors(core::AtomIdx(atom as u32)).filter(|(_, b)| ring_bonds[b.0 as usize]) {
                ends += 1;
                if !std::mem::replace(&mut seen[near.0 as usize], true) {
                    stack.push(near.0 as usize);
                }
            }
        }
        most = most.max(ends / 2 + 1 - atoms.min(ends / 2 + 1));
    }
    most
}

/// A ring: its atoms in order, and its bonds as bits of the system's numbering.
#[derive(Clone)]
pub(super) struct Ring {
    pub(super) atoms: Vec<u32>,
    pub(super) bonds: u128,
}

/// Atoms joined by ring bonds, with a numbering of the bonds from 0.
pub(super) struct System {
    pub(super) atoms: Vec<u32>,
    /// Bonds of the molecule, by number.
    pub(super) bonds: Vec<u32>,
}

/// Relevant rings of at most `longest` atoms, of any length in a system that is one ring. `None` if there are
/// too many bonds or rings. `number` gives the bonds of the system their numbers, and `u32::MAX` to all others.
pub(super) fn relevant(sketch: &Sketch<'_>, system: &System, number: &[u32], longest: usize) -> Option<Vec<Ring>> {
    if system.bonds.len() > 128 {
        return None;
    }
    if system.bonds.len() == system.atoms.len() {
        return Some(vec![Ring { atoms: system.atoms.clone(), bonds: all(system.bonds.len()) }]);
    }
    let mut rings = Vec::new();
    let mut distance = vec![u8::MAX; sketch.atoms.len()];
    let mut path = Path { sketch, number, distance: &mut distance, atoms: Vec::new(), bonds: 0, start: 0, longest };
    for &start in &system.atoms {
        path.from(start, &mut rings)?;
    }
    rings.sort_by_key(|ring| ring.atoms.len());
    let mut basis = Basis::default();
    let mut relevant: Vec<Ring> = Vec::new();
    for group in rings.chunk_by(|a, b| a.atoms.len() == b.atoms.len()) {
        let first = relevant.len();
        relevant.extend(group.iter().filter(|ring| basis.reduce(ring.bonds) != 0).cloned());
        for ring in &relevant[first..] {
            basis.add(ring.bonds);
        }
    }
    Some(relevant)
}

fn all(bits: usize) -> u128 {
    if bits == 128 { u128::MAX } else { (1 << bits) - 1 }
}

/// Sets of bonds that are independent under symmetric difference.
#[derive(Default)]
pub(super) struct Basis {
    /// Each with its highest bit, which no other has as its highest.
    sets: Vec<u128>,
}

impl Basis {
    fn reduce(&self, mut bonds: u128) -> u128 {
        for &set in &self.sets {
            // Taking a set out helps exactly if its highest bit is there.
            if bonds & highest(set) != 0 {
                bonds ^= set;
            }
        }
        bonds
    }

    /// Adds a set and says whether it was independent of the others.
    pub(super) fn add(&mut self, bonds: u128) -> bool {
        let rest = self.reduce(bonds);
        if rest != 0 {
            let at = self.sets.partition_point(|&set| highest(set) > highest(rest));
            self.sets.insert(at, rest);
        }
        rest != 0
    }

    pub(super) fn rank(&self) -> usize {
        self.sets.len()
    }
}

fn highest(set: u128) -> u128 {
    1 << set.ilog2()
}

/// A path that grows from the smallest atom of a ring until it comes back.
struct Path<'a> {
    sketch: &'a Sketch<'a>,
    /// Number of each bond in the system; `u32::MAX` for bonds outside rings.
    number: &'a [u32],
    /// Steps from each atom back to the start, over atoms behind the start; scratch.
    distance: &'a mut Vec<u8>,
    atoms: Vec<u32>,
    bonds: u128,
    start: u32,
    longest: usize,
}

impl Path<'_> {
    /// Finds every ring of at most `longest` atoms whose smallest atom this is.
    fn from(&mut self, start: u32, rings: &mut Vec<Ring>) -> Option<()> {
        self.start = start;
        self.distance[start as usize] = 0;
        let mut reached = vec![start];
        let mut at = 0;
        while let Some(&atom) = reached.get(at) {
            at += 1;
            let steps = self.distance[atom as usize] + 1;
            if usize::from(steps) > self.longest / 2 {
                continue;
            }
            for (near, bond) in self.sketch.neighbors(atom as usize) {
                if self.number[bond] != u32::MAX && near as u32 > start && self.distance[near] == u8::MAX {
                    self.distance[near] = steps;
                    reached.push(near as u32);
                }
            }
        }
        self.atoms.clear();
        self.atoms.push(start);
        let outcome = self.grow(rings);
        for atom in reached {
            self.distance[atom as usize] = u8::MAX;
        }
        outcome
    }

    /// Tries every next atom from which the start can still be reached in time. At most `longest` deep.
    fn grow(&mut self, rings: &mut Vec<Ring>) -> Option<()> {
        let sketch = self.sketch;
        let last = self.atoms[self.atoms.len() - 1];
        for (near, bond) in sketch.neighbors(last as usize) {
            let (near, bit) = (near as u32, self.number[bond]);
            if bit == u32::MAX {
                continue;
            }
            let closes = near == self.start && self.atoms.len() > 2;
            // Each ring is met in both directions; keep the one whose second atom is smaller.
            if closes && self.atoms[1] < last {
                rings.push(Ring { atoms: self.atoms.clone(), bonds: self.bonds | 1 << bit });
                if rings.len() > MOST_RINGS {
                    return None;
                }
            }
            let back = usize::from(self.distance[near as usize]);
            if back == usize::from(u8::MAX) || near <= self.start || self.atoms.len() + back > self.longest {
                continue;
            }
            if self.atoms.contains(&near) {
                continue;
            }
            self.atoms.push(near);
            self.bonds ^= 1 << bit;
            self.grow(rings)?;
            self.bonds ^= 1 << bit;
            self.atoms.pop();
        }
        Some(())
    }
}
