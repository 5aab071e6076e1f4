//! New molecules from real ones: cut at single bonds outside of rings, and joined again in other ways.
//!
//! Works on SMILES as text. A branch in parentheses that starts with an atom and in which every ring that it opens is
//! closed hangs on the rest by one single bond that is in no ring. Such a branch is a *fragment*; a new molecule is a
//! real one in which up to three of these branches are replaced by fragments of others, with numbers of rings that are
//! not in use. Valences stay as they were, and so do nearly all small patterns.
//!
//! Promise: the molecule of a number depends on that number and on the molecules alone.

use crate::random::Random;

/// Branches that are replaced, at most.
const MOST_SWAPS: u64 = 3;

/// Molecules and their fragments.
pub(super) struct Recombiner {
    molecules: Vec<(String, String)>,
    fragments: Vec<String>,
}

impl Recombiner {
    /// Over these molecules with their classes.
    pub(super) fn new(molecules: &[(String, String)]) -> Self {
        let of_molecule = |smiles: &str| {
            branches(smiles).into_iter().map(|(start, end)| smiles[start..end].to_owned()).collect::<Vec<_>>()
        };
        let fragments = molecules.iter().flat_map(|(smiles, _)| of_molecule(smiles)).collect();
        Self { molecules: molecules.to_vec(), fragments }
    }

    pub(super) fn num_molecules(&self) -> usize {
        self.molecules.len()
    }

    pub(super) fn num_fragments(&self) -> usize {
        self.fragments.len()
    }

    /// The molecule of a number, with the class of the one that it was made from.
    pub(super) fn molecule(&self, number: u64) -> (String, &str) {
        let mut dice = Random(number);
        let (smiles, class) = &self.molecules[dice.below(self.molecules.len())];
        let mut smiles = smiles.clone();
        for _ in 0..dice.below(MOST_SWAPS as usize + 1) {
            let places = branches(&smiles);
            if places.is_empty() || self.fragments.is_empty() {
                break;
            }
            let (start, end) = places[dice.below(places.len())];
            let (before, after) = (&smiles[..start], &smiles[end..]);
            let fragment = &self.fragments[dice.below(self.fragments.len())];
            let used: Vec<u32> = rings(before).into_iter().chain(rings(after)).map(|(ring, ..)| ring).collect();
            let Some(fragment) = renumbered(fragment, &used) else { break };
            smiles = format!("{before}{fragment}{after}");
        }
        (smiles, class)
    }
}

/// The branches that hang on a single bond outside of rings: where the text in their parentheses starts and ends.
fn branches(smiles: &str) -> Vec<(usize, usize)> {
    let mut open = Vec::new();
    let mut found = Vec::new();
    let mut in_brackets = false;
    for (at, letter) in smiles.bytes().enumerate() {
        match letter {
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b'(' if !in_brackets => open.push(at + 1),
            b')' if !in_brackets => {
                let Some(start) = open.pop() else { return Vec::new() };
                if is_fragment(&smiles[start..at]) {
                    found.push((start, at));
                }
            }
            _ => {}
        }
    }
    found
}

fn is_fragment(text: &str) -> bool {
    let starts_with_atom = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'[');
    let mut open: Vec<u32> = Vec::new();
    for (ring, ..) in rings(text) {
        match open.iter().position(|other| *other == ring) {
            Some(at) => drop(open.swap_remove(at)),
            None => open.push(ring),
        }
    }
    starts_with_atom && open.is_empty() && !text.contains('.')
}

/// The numbers of rings in a text, in order: number, start and end.
fn rings(text: &str) -> Vec<(u32, usize, usize)> {
    let bytes = text.as_bytes();
    let (mut found, mut at, mut in_brackets) = (Vec::new(), 0, false);
    while at < bytes.len() {
        let len = if bytes[at] == b'%' { 3 } else { 1 };
        match bytes[at] {
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b'%' | b'0'..=b'9' if !in_brackets => {
                let digits = text.get(at + usize::from(len == 3)..at + len).unwrap_or_default();
                found.extend(digits.parse().ok().map(|ring| (ring, at, at + len)));
            }
            _ => {}
        }
        at += len;
    }
    found
}

/// The text with numbers of rings that are not in use; nothing if there are too many.
fn renumbered(text: &str, used: &[u32]) -> Option<String> {
    let mut names: Vec<(u32, u32)> = Vec::new();
    let mut renamed = String::with_capacity(text.len());
    let mut done = 0;
    for (ring, start, end) in rings(text) {
        let known = names.iter().find(|(old, _)| *old == ring).map(|(_, new)| *new);
        let new = match known {
            Some(new) => new,
            None => (1..100).find(|new| !used.contains(new) && names.iter().all(|(_, taken)| taken != new))?,
        };
        if known.is_none() {
            names.push((ring, new));
        }
        renamed.push_str(&text[done..start]);
        renamed.push_str(&if new < 10 { new.to_string() } else { format!("%{new}") });
        done = end;
    }
    renamed.push_str(&text[done..]);
    Some(renamed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(smiles: &str) -> Vec<&str> {
        branches(smiles).into_iter().map(|(start, end)| &smiles[start..end]).collect()
    }

    #[test]
    fn fragments_hang_on_one_single_bond_outside_of_rings() {
        assert_eq!(of("CC(C)(=O)C(OC(N)C)C"), ["C", "N", "OC(N)C"]);
        // A branch that closes a ring of the rest is part of it; its own rings are not.
        assert_eq!(of("C1CC(CC1)C(c1ccccc1)N"), ["c1ccccc1"]);
        assert_eq!(of("C([N+](C)(C)C)C(/C=C)C([Na].Cl)"), ["C", "C", "[N+](C)(C)C"]);
        assert_eq!(of("C%10CC(C%11CC%11)C%10"), ["C%11CC%11"]);
    }

    #[test]
    fn rings_of_a_fragment_get_numbers_that_are_free() {
        assert_eq!(renumbered("C1CC2C1C2", &[1, 3]).unwrap(), "C2CC4C2C4");
        assert_eq!(renumbered("C1CC1[13C@@H]", &(1..10).collect::<Vec<_>>()).unwrap(), "C%10CC%10[13C@@H]");
        assert_eq!(renumbered("C1CC1", &(1..100).collect::<Vec<_>>()), None);
    }

    #[test]
    fn a_number_gives_the_same_molecule_every_time_and_others_give_others() {
        let molecules =
            ["CC(N)C(c1ccccc1)O", "OC(C2CC2)C(F)(Cl)Br", "C1CC(S)C1"].map(|s| (s.to_owned(), "1".to_owned()));
        let recombiner = Recombiner::new(&molecules);
        assert_eq!((recombiner.num_molecules(), recombiner.num_fragments()), (3, 6));
        let made: Vec<String> = (0..200).map(|number| recombiner.molecule(number).0).collect();
        assert!((0..200).all(|number| recombiner.molecule(number).0 == made[number as usize]));
        let mut different = made.clone();
        different.sort();
        different.dedup();
        assert!(different.len() > 50, "{}", different.len());
        for smiles in &made {
            assert_eq!(smiles.matches('(').count(), smiles.matches(')').count());
            let mut open: Vec<u32> = rings(smiles).into_iter().map(|(ring, ..)| ring).collect();
            open.sort_unstable();
            assert!(open.chunks(2).all(|pair| pair.len() == 2 && pair[0] == pair[1]), "{smiles}");
        }
    }
}
