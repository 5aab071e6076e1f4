//! Alternating double bonds for rings that are written as aromatic.
//!
//! Promise: on success every atom that wants a double bond has exactly one along an aromatic ring bond, and
//! no bond is aromatic any more. Which of several solutions comes out does not matter to the rules of
//! [`super::aromatic`]: they ask whether an atom has such a bond, not where. Forced choices come first; if
//! the rest does not work out at once, the molecule is not ordinary.

use super::{AROMATIC, Sketch};

/// Replaces aromatic bonds by single and double ones. `None`: left to the full sanitizer.
pub(super) fn alternate(sketch: &mut Sketch<'_>, ring_bonds: &[bool]) -> Option<()> {
    let mut open = 0;
    let mut choices = vec![0_u8; sketch.atoms.len()];
    for atom in 0..sketch.atoms.len() {
        if sketch.atoms[atom].aromatic && !sketch.neighbors(atom).any(|(_, bond)| ring_bonds[bond]) {
            return None;
        }
        if sketch.atoms[atom].wants_double {
            open += 1;
            choices[atom] = partners(sketch, ring_bonds, atom).count() as u8;
        }
    }
    let mut forced: Vec<usize> =
        (0..choices.len()).filter(|&a| sketch.atoms[a].wants_double && choices[a] == 1).collect();
    let mut next = 0;
    while open > 0 {
        let atom = match forced.pop() {
            Some(atom) if !sketch.atoms[atom].wants_double => continue,
            Some(atom) => atom,
            None => {
                next += sketch.atoms[next..].iter().position(|a| a.wants_double)?;
                next
            }
        };
        let (partner, bond) = partners(sketch, ring_bonds, atom).next()?;
        sketch.bonds[bond].2 = 2;
        for end in [atom, partner] {
            sketch.atoms[end].wants_double = false;
        }
        open -= 2_usize.min(open);
        for end in [atom, partner] {
            for (near, bond) in sketch.neighbors(end) {
                let was_choice = sketch.bonds[bond].2 == AROMATIC && ring_bonds[bond];
                if was_choice && sketch.atoms[near].wants_double {
                    choices[near] -= 1;
                    if choices[near] == 1 {
                        forced.push(near);
                    }
                }
            }
        }
    }
    for bond in &mut sketch.bonds {
        if bond.2 == AROMATIC {
            bond.2 = 1;
        }
    }
    Some(())
}

/// Neighbours that an atom can share its double bond with.
fn partners<'a>(
    sketch: &'a Sketch<'_>,
    ring_bonds: &'a [bool],
    atom: usize,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    sketch
        .neighbors(atom)
        .filter(|&(near, bond)| sketch.bonds[bond].2 == AROMATIC && ring_bonds[bond] && sketch.atoms[near].wants_double)
}
