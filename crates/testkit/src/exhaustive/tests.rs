use super::*;
use crate::strategy::{Dice, Shape, graph_of};
use einsicht_search::ActivePattern;
use einsicht_search::bound::Delta;

/// Edges A-A (all three graphs), A-B (graphs 0 and 1), A-C (graph 2).
fn three_graphs() -> Exhaustive {
    let graphs = [
        graph_of(&[0, 0, 1], &[(0, 1, 0), (0, 2, 0)]),
        graph_of(&[0, 0, 1], &[(0, 1, 0), (0, 2, 0)]),
        graph_of(&[0, 0, 2], &[(0, 1, 0), (0, 2, 0)]),
    ];
    Exhaustive::new(&graphs, 1, 1)
}

fn query<'a>(delta: Delta<'a>, active: &'a [ActivePattern], rule: Rule) -> Query<'a> {
    Query {
        delta,
        active,
        step_sizes: &[1.0, 0.5],
        decay: 0.0,
        rule,
        banned: &[],
        unit: Competes::SupportClass,
        values: Values::Presence,
        floor: f64::NEG_INFINITY,
    }
}

#[test]
fn scores_and_threshold_are_those_that_one_computes_by_hand() {
    let mut search = three_graphs();
    assert_eq!(search.len(), 3);
    let delta = Delta::new(&[1.0, 2.0, -4.0], 1).unwrap();
    let found = search.search(&query(delta, &[], Rule::Top(2))).unwrap();
    // Gradients: A-A -1, A-B 3, A-C -4.
    assert_eq!(found.zeta, 3.0);
    let scores: Vec<f64> = found.candidates.iter().map(|c| c.score).collect();
    assert_eq!(scores, [4.0, 3.0]);
    assert_eq!(found.candidates[0].gradient, [-4.0]);
    let above = search.search(&query(delta, &[], Rule::Above(3.0))).unwrap();
    assert_eq!((above.candidates.len(), above.zeta), (1, 3.0));
    let all = search.search(&query(delta, &[], Rule::Top(9))).unwrap();
    assert_eq!((all.candidates.len(), all.zeta), (3, f64::NEG_INFINITY));
}

#[test]
fn an_active_pattern_counts_with_its_own_score_and_is_no_candidate() {
    let mut search = three_graphs();
    let delta = Delta::new(&[1.0, 2.0, -4.0], 1).unwrap();
    let code = search.search(&query(delta, &[], Rule::Top(1))).unwrap().candidates[0].code.clone();
    let support = search.lookup(&code).unwrap();
    // |3 + 4 gamma| / gamma is 7 at one and 10 at one half.
    let active = [ActivePattern { code, support, weights: vec![3.0], pinned: false }];
    let found = search.search(&query(delta, &active, Rule::Top(2))).unwrap();
    assert_eq!(found.active, [ActiveScore { gradient: vec![-4.0], score: 7.0 }]);
    assert_eq!((found.candidates.len(), found.zeta), (1, 3.0));
}

#[test]
fn minimal_and_maximal_members_are_those_of_the_definition() {
    let mut dice = Dice::new(5);
    let mut several = 0;
    for _ in 0..30 {
        let graphs = dice.graphs(Shape::PLAIN, 5);
        let mut search = Exhaustive::new(&graphs, 5, 1);
        let supports: BTreeSet<Occurrence> = search.patterns.values().cloned().collect();
        for support in supports {
            let class = search.class(&support.detached()).unwrap();
            let members: Vec<&DfsCode> =
                search.patterns.iter().filter(|(_, s)| **s == support).map(|(c, _)| c).collect();
            let holds = |large: &DfsCode, small: &DfsCode| {
                large != small && oracle::contains(&large.to_graph(), &small.to_graph())
            };
            let minimal = members.iter().filter(|m| !members.iter().any(|other| holds(m, other))).count();
            let maximal = members.iter().filter(|m| !members.iter().any(|other| holds(other, m))).count();
            assert_eq!((class.minimal.len(), class.maximal.len()), (minimal, maximal));
            assert_eq!(class.size as usize, members.len());
            several += usize::from(minimal > 1 && maximal > 1);
        }
    }
    assert!(several > 0, "some class has several minimal and several maximal members");
}
