//! Which rings are aromatic, by RDKit's rules: each atom gives 0, 1 or 2 electrons, and a ring, or the rim of
//! up to six fused ones, is aromatic if they give 2, 6, 10, ... together.
//!
//! Works on alternating single and double bonds. Rules and their exceptions are RDKit's (`Aromaticity.cpp`,
//! version 2026.09); an oxygen or sulphur whose smallest ring has nine or more atoms gives nothing.

use super::Sketch;
use super::rings::{Basis, Ring, System, relevant};

/// The aromatic atoms and bonds; empty lists where there are none.
#[derive(Default)]
pub(super) struct Found {
    pub(super) atoms: Vec<bool>,
    pub(super) bonds: Vec<bool>,
}

/// Most fused rings whose rim is tried, and most rings of a system for which that is feasible here.
const MOST_FUSED: usize = 6;
const MOST_RINGS: usize = 16;
/// Oxygen and sulphur in rings of this size or larger give no electrons.
const LARGE: usize = 9;
/// Lengths of rings that are looked for, one after another. At least `LARGE` - 1, so that small rings are known.
const LENGTHS: [usize; 2] = [8, 14];
const NO_NUMBER: u32 = u32::MAX;

/// Finds aromatic atoms and bonds. `None`: left to the full sanitizer.
pub(super) fn find(sketch: &Sketch<'_>, ring_bonds: &[bool]) -> Option<Found> {
    let gives: Vec<Option<u8>> = (0..sketch.atoms.len()).map(|atom| electrons(sketch, ring_bonds, atom)).collect();
    let candidate: Vec<bool> = gives.iter().map(Option::is_some).collect();
    let mut found = Found::default();
    if !has_cycle(sketch, ring_bonds, &candidate) {
        return Some(found);
    }
    found = Found { atoms: vec![false; sketch.atoms.len()], bonds: vec![false; sketch.bonds.len()] };
    let mut number = vec![NO_NUMBER; sketch.bonds.len()];
    for system in systems(sketch, ring_bonds) {
        if independent_cycles(sketch, &system, &candidate) == 0 {
            continue;
        }
        for (at, &bond) in system.bonds.iter().enumerate() {
            number[bond as usize] = at as u32;
        }
        let tried = LENGTHS.iter().find_map(|&longest| enough(sketch, &system, &number, longest, &gives, &candidate));
        mark(sketch, &system, &tried?, &gives, &mut found)?;
        for &bond in &system.bonds {
            number[bond as usize] = NO_NUMBER;
        }
    }
    Some(found)
}

/// The rings of candidates up to a length, if there are no longer ones that matter. None at all is enough where
/// the oxygen and sulphur of large rings are what closed the cycles.
fn enough(
    sketch: &Sketch<'_>,
    system: &System,
    number: &[u32],
    longest: usize,
    gives: &[Option<u8>],
    candidate: &[bool],
) -> Option<Vec<Ring>> {
    let rings = relevant(sketch, system, number, longest)?;
    let mut candidate = candidate.to_vec();
    leave_out_large(sketch, system, &rings, gives, &mut candidate);
    let is_candidate = |ring: &Ring| ring.atoms.iter().all(|&atom| candidate[atom as usize]);
    let rings: Vec<Ring> = rings.into_iter().filter(is_candidate).collect();
    let mut basis = Basis::default();
    for ring in &rings {
        basis.add(ring.bonds);
    }
    // A longer ring of candidates would show as a cycle that these do not explain.
    (basis.rank() == independent_cycles(sketch, system, &candidate)).then_some(rings)
}

/// How many electrons a ring atom gives; `None` if it cannot be aromatic.
fn electrons(sketch: &Sketch<'_>, ring_bonds: &[bool], atom: usize) -> Option<u8> {
    let state = sketch.atoms[atom];
    // Default valence and outer electrons of the elements that occur here.
    let (default, outer) = match state.number {
        5 => (3, 3),
        6 | 14 => (4, 4),
        7 | 15 => (3, 5),
        8 | 16 | 34 => (2, 6),
        _ => return None,
    };
    let degree = sketch.degree(atom) as i32;
    let (mut order_sum, mut doubles, mut ring_double, mut outside) = (0, 0, false, None);
    let mut in_ring = false;
    for (near, bond) in sketch.neighbors(atom) {
        let order = i32::from(sketch.bonds[bond].2);
        order_sum += order;
        in_ring |= ring_bonds[bond];
        if order >= 2 {
            doubles += 1;
            if ring_bonds[bond] {
                ring_double = true;
            } else if outside.is_none() {
                outside = Some(near);
            }
        }
    }
    if !in_ring || degree + i32::from(state.hydrogens) > 3 {
        return None;
    }
    let charge = i32::from(state.charge);
    let written = i32::from(state.written_hydrogens);
    let unsaturated = order_sum + written - degree;
    let pairs = (outer - default - charge).max(0);
    let mut count = default - degree - i32::from(state.hydrogens) + pairs;
    if count > 1 && unsaturated > 1 {
        count = 1;
    }
    let is_pulled = outside.is_some_and(|near| pulls(sketch.atoms[near].number, state.number));
    let gives = match count {
        0 if outside.is_some() => 0,
        0 if ring_double => 1,
        1 if outside.is_some() => u8::from(!is_pulled),
        1 if order_sum != degree => 1,
        1 if charge == 1 => 0,
        2.. if (count - i32::from(is_pulled)) % 2 == 1 => 1,
        2.. => 2,
        _ => return None,
    };
    // Not in its usual valence, or with two double bonds: never aromatic.
    let usual = match (state.number, charge) {
        (5 | 7 | 15, 0) | (8 | 16 | 34, 1) => 3,
        (6 | 14, 0) | (7 | 15, 1) => 4,
        (8 | 16 | 34, 0) | (7, -1) => 2,
        _ => return None,
    };
    if order_sum + i32::from(state.hydrogens) > usual || (unsaturated > 1 && doubles > 1) {
        return None;
    }
    Some(gives)
}

/// Whether the first element draws electrons from the second, by RDKit's rule of thumb.
fn pulls(first: u8, second: u8) -> bool {
    let outer = |number: u8| match number {
        5 => 3,
        6 | 14 => 4,
        7 | 15 => 5,
        8 | 16 | 34 => 6,
        _ => 7,
    };
    outer(first) > outer(second) || (outer(first) == outer(second) && first < second)
}

/// Whether the candidates and the ring bonds between them hold a cycle.
fn has_cycle(sketch: &Sketch<'_>, ring_bonds: &[bool], candidate: &[bool]) -> bool {
    let mut degree = vec![0_u8; candidate.len()];
    let joins = |bond: usize| {
        let (from, to, _) = sketch.bonds[bond];
        ring_bonds[bond] && candidate[from as usize] && candidate[to as usize]
    };
    let mut left = 0;
    for bond in (0..sketch.bonds.len()).filter(|&bond| joins(bond)) {
        let (from, to, _) = sketch.bonds[bond];
        degree[from as usize] += 1;
        degree[to as usize] += 1;
        left += 1;
    }
    let mut leaves: Vec<usize> = (0..degree.len()).filter(|&atom| degree[atom] == 1).collect();
    while let Some(leaf) = leaves.pop() {
        if degree[leaf] != 1 {
            continue;
        }
        degree[leaf] = 0;
        left -= 1;
        for (near, bond) in sketch.neighbors(leaf) {
            if joins(bond) && degree[near] > 0 {
                degree[near] -= 1;
                if degree[near] == 1 {
                    leaves.push(near);
                }
            }
        }
    }
    left > 0
}

/// Parts of the molecule that ring bonds hold together.
fn systems(sketch: &Sketch<'_>, ring_bonds: &[bool]) -> Vec<System> {
    let mut seen = vec![false; sketch.atoms.len()];
    let mut systems = Vec::new();
    for root in 0..sketch.atoms.len() {
        if seen[root] || !sketch.neighbors(root).any(|(_, bond)| ring_bonds[bond]) {
            continue;
        }
        seen[root] = true;
        let mut system = System { atoms: vec![root as u32], bonds: Vec::new() };
        let mut at = 0;
        while let Some(&atom) = system.atoms.get(at) {
            at += 1;
            for (near, bond) in sketch.neighbors(atom as usize).filter(|&(_, bond)| ring_bonds[bond]) {
                if atom as usize <= near {
                    system.bonds.push(bond as u32);
                }
                if !std::mem::replace(&mut seen[near], true) {
                    system.atoms.push(near as u32);
                }
            }
        }
        systems.push(system);
    }
    systems
}

/// Oxygen and sulphur that give two electrons are out if all their rings are large.
fn leave_out_large(sketch: &Sketch<'_>, system: &System, rings: &[Ring], gives: &[Option<u8>], candidate: &mut [bool]) {
    for &atom in &system.atoms {
        let state = sketch.atoms[atom as usize];
        let is_bridge = matches!(state.number, 8 | 16)
            && state.charge == 0
            && gives[atom as usize] == Some(2)
            && sketch.degree(atom as usize) == 2;
        if is_bridge && !rings.iter().any(|ring| ring.atoms.len() < LARGE && ring.atoms.contains(&atom)) {
            candidate[atom as usize] = false;
        }
    }
}

/// Number of independent cycles among the candidates of a system.
fn independent_cycles(sketch: &Sketch<'_>, system: &System, candidate: &[bool]) -> usize {
    let mut parent: Vec<u32> = (0..sketch.atoms.len() as u32).collect();
    let mut cycles = 0;
    for &bond in &system.bonds {
        let (from, to, _) = sketch.bonds[bond as usize];
        if candidate[from as usize] && candidate[to as usize] {
            let (a, b) = (root(&mut parent, from), root(&mut parent, to));
            if a == b {
                cycles += 1;
            } else {
                parent[a as usize] = b;
            }
        }
    }
    cycles
}

/// The atom that stands for all atoms joined to this one so far.
fn root(parent: &mut [u32], mut atom: u32) -> u32 {
    while parent[atom as usize] != atom {
        parent[atom as usize] = parent[parent[atom as usize] as usize];
        atom = parent[atom as usize];
    }
    atom
}

/// Applies Hueckel's rule to rings and to rims of fused rings.
fn mark(sketch: &Sketch<'_>, system: &System, rings: &[Ring], gives: &[Option<u8>], found: &mut Found) -> Option<()> {
    if rings.len() > MOST_RINGS {
        return None;
    }
    // Rings are fused if they share exactly one bond.
    let fused: Vec<u32> = rings
        .iter()
        .map(|a| {
            let shares = |b: &Ring| (a.bonds & b.bonds).is_power_of_two();
            (0..rings.len()).filter(|&other| shares(&rings[other])).fold(0, |mask, other| mask | 1 << other)
        })
        .collect();
    let mut left: u32 = (1 << rings.len()) - 1;
    while left != 0 {
        let group = grown(1 << left.trailing_zeros(), left, &fused);
        left &= !group;
        let rim = |set: u32| {
            members(set).fold((0_u128, 0_u128), |(once, any), ring| {
                let bonds = rings[ring].bonds;
                ((once & !bonds) | (bonds & !any), any | bonds)
            })
        };
        let every = rim(group).1;
        let mut done = 0_u128;
        for size in 1..=MOST_FUSED {
            if done == every || size > group.count_ones() as usize {
                break;
            }
            for set in subsets(group, size) {
                if grown(1 << set.trailing_zeros(), set, &fused) == set && is_aromatic(sketch, rings, gives, set) {
                    done |= rim(set).0;
                }
            }
        }
        for (at, &bond) in system.bonds.iter().enumerate() {
            if done >> at & 1 == 1 {
                let (from, to, order) = sketch.bonds[bond as usize];
                if order > 2 {
                    return None;
                }
                found.bonds[bond as usize] = true;
                found.atoms[from as usize] = true;
                found.atoms[to as usize] = true;
            }
        }
    }
    Some(())
}

/// The rings of a set that fusion joins to the start.
fn grown(start: u32, set: u32, fused: &[u32]) -> u32 {
    let mut part = start;
    loop {
        let more = members(part).fold(part, |more, ring| more | (fused[ring] & set));
        if more == part {
            return part;
        }
        part = more;
    }
}

fn members(mut set: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let ring = set.trailing_zeros() as usize;
        set &= set.wrapping_sub(1);
        (ring < 32).then_some(ring)
    })
}

fn subsets(group: u32, size: usize) -> impl Iterator<Item = u32> {
    // All subsets of a mask, counted upwards within it.
    let mut next = Some(0_u32);
    std::iter::from_fn(move || {
        let subset = next?;
        let following = subset.wrapping_sub(group) & group;
        next = (following != 0).then_some(following);
        Some(subset)
    })
    .filter(move |subset| subset.count_ones() as usize == size)
}

/// Hueckel's rule for the atoms that are in one or two rings of the set.
fn is_aromatic(sketch: &Sketch<'_>, rings: &[Ring], gives: &[Option<u8>], set: u32) -> bool {
    let mut total = 0;
    if set.is_power_of_two() {
        let ring = &rings[set.trailing_zeros() as usize];
        total = ring.atoms.iter().map(|&atom| u32::from(gives[atom as usize].unwrap_or(0))).sum();
    } else {
        let mut times = vec![0_u8; sketch.atoms.len()];
        for ring in members(set) {
            for &atom in &rings[ring].atoms {
                times[atom as usize] += 1;
                match times[atom as usize] {
                    1 => total += u32::from(gives[atom as usize].unwrap_or(0)),
                    3 => total -= u32::from(gives[atom as usize].unwrap_or(0)),
                    _ => {}
                }
            }
        }
    }
    total == 2 || (total >= 6 && total % 4 == 2)
}
