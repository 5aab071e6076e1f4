//! Which graphs the effect of a subgraph compares.
//!
//! Promise: with and without it, or where nearly all graphs have it, more of it than the mean and not; each list is
//! increasing, so that sums over it do not depend on the order of a sample.

/// Where fewer than one in so many graphs of the sample are without a subgraph, graphs with more of it than the mean
/// are compared with the others.
const FEW_WITHOUT: usize = 20;

/// The graphs that the effect of a pattern compares: those with it, and those of the sample without it. If nearly all
/// have it, those with more of it than the mean, and the others: a few graphs without it are unusual in other ways too.
pub(crate) struct Compared {
    pub with: Vec<usize>,
    pub without: Vec<usize>,
    pub by_amount: bool,
}

impl Compared {
    pub(crate) fn new(value: impl Fn(usize) -> f64, with: &[usize], sample: &[usize]) -> Self {
        let mut sample = sample.to_vec();
        sample.sort_unstable();
        let without: Vec<usize> = sample.iter().copied().filter(|&row| value(row) == 0.0).collect();
        let by_presence = |without: Vec<usize>| Self { with: with.to_vec(), without, by_amount: false };
        if without.len() * FEW_WITHOUT >= sample.len().max(1) {
            return by_presence(without);
        }
        let mean = sample.iter().fold(0.0, |sum, &row| sum + value(row)) / sample.len().max(1) as f64;
        let (more, fewer): (Vec<usize>, Vec<usize>) = sample.iter().copied().partition(|&row| value(row) > mean);
        match (without.is_empty(), fewer.len() == without.len() || more.is_empty()) {
            (_, false) => Self { with: more, without: fewer, by_amount: true },
            (false, true) => by_presence(without),
            (true, true) => by_presence(with.to_vec()), // in all graphs, and as often: nothing tells what it does
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subgraphs_that_nearly_all_graphs_have_are_compared_by_their_counts() {
        let counts = [1.0, 3.0, 1.0, 2.0];
        let with: Vec<usize> = vec![0, 1, 2, 3];
        let groups = |compared: Compared| (compared.with, compared.without, compared.by_amount);
        let compared = Compared::new(|row| counts[row], &with, &[3, 0, 1, 2]);
        assert_eq!(groups(compared), (vec![1, 3], vec![0, 2], true));
        assert_eq!(groups(Compared::new(|_| 1.0, &with, &with)), (with.clone(), with.clone(), false));
        let compared = Compared::new(|row| f64::from(u8::from(row > 1)), &[2, 3], &[3, 0, 2, 1]);
        assert_eq!(groups(compared), (vec![2, 3], vec![0, 1], false));
        // One of 21 is without it: by counts if they differ, else by presence. One of 20 is enough to compare with.
        let (all, with): (Vec<usize>, Vec<usize>) = ((0..21).collect(), (1..21).collect());
        let (more, fewer): (Vec<usize>, Vec<usize>) = all.iter().partition(|&&row| row > 10);
        assert_eq!(groups(Compared::new(|row| row as f64, &with, &all)), (more, fewer, true));
        let present = |row: usize| f64::from(u8::from(row > 0));
        assert_eq!(groups(Compared::new(present, &with, &all)), (with.clone(), vec![0], false));
        let compared = Compared::new(|row| row as f64, &with[..19], &all[..20]);
        assert_eq!(groups(compared), (with[..19].to_vec(), vec![0], false));
    }
}
