use super::*;

type Change = fn(&mut TrainParams);

/// Rows of the documented table: name, default, allowed.
fn documented() -> Vec<[String; 3]> {
    let lines = include_str!("../params.rs").lines().filter(|line| line.starts_with("/// | `"));
    lines
        .map(|line| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            [cells[1].trim_matches('`').to_owned(), cells[3].to_owned(), cells[4].to_owned()]
        })
        .collect()
}

#[test]
fn the_documented_table_tells_the_truth() {
    let defaults = TrainParams::default();
    let coded =
        TABLE.iter().map(|row| [row.name.to_owned(), (row.value)(&defaults).text(), row.allowed.words().to_owned()]);
    assert_eq!(documented(), coded.collect::<Vec<_>>());
    let fields = serde_json::to_value(&defaults).unwrap();
    for row in &TABLE {
        assert!(fields.get(row.name).is_some(), "{} is not a field", row.name);
    }
}

#[test]
fn defaults_and_the_faithful_set_pass_and_each_wrong_value_is_named() {
    TrainParams::default().check().unwrap();
    TrainParams::faithful().check().unwrap();
    let wrong: [(&str, Change); 10] = [
        ("sizes", |p| p.sizes = vec![]),
        ("sizes", |p| p.sizes = vec![2, 2]),
        ("sizes", |p| (p.sizes, p.summary) = (vec![0, 2], Summary::None)),
        ("summary", |p| p.head = HeadKind::Network),
        ("hidden", |p| p.hidden = 0),
        ("layers", |p| p.layers = vec![3, 0]),
        ("max_step", |p| p.max_step = f64::NAN),
        ("step_ratio", |p| p.step_ratio = 1.0),
        ("weight_decay", |p| p.weight_decay = -1.0),
        ("tolerance", |p| p.tolerance = f64::INFINITY),
    ];
    for (name, change) in wrong {
        let mut params = TrainParams::default();
        change(&mut params);
        assert_eq!(params.check().unwrap_err().name, name);
    }
}

#[test]
fn the_message_says_what_must_hold_and_what_was_given() {
    let error = TrainParams { step_ratio: 1.5, ..TrainParams::default() }.check().unwrap_err();
    assert_eq!(error.to_string(), "step_ratio must be a number above 0 and below 1, got 1.5");
}
