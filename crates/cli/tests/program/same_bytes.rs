//! Rust and the program write the same model, byte for byte; stopped and resumed at random points, too. The tests of
//! Python compare with the program.

use super::{Program, text};
use einsicht::data::ClassWeight;
use einsicht::{
    AfterPass, FitOptions, Plan, Progress, Resampling, Session, Source, SplitChoice, Stage, TrainingId, Watch,
};
use einsicht_testkit::repo_root;
use serde_json::json;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One training, as it is asked of the program and of Rust.
struct Training {
    name: &'static str,
    data: &'static str,
    words: &'static str,
    plan: fn(Plan, &Program) -> Plan,
}

fn set(plan: Plan, name: &str, value: serde_json::Value) -> Plan {
    plan.set(name, value).unwrap()
}

const TRAININGS: [Training; 6] = [
    Training {
        name: "classes, by folds",
        data: "MUTAG",
        words: "--sizes 1,3 --max-edges 3 --folds 2 --set trees=4",
        plan: |plan, _| {
            let plan = set(set(plan, "sizes", json!([1, 3])), "max_edges", json!(3));
            set(set(plan, "folds", json!(2)), "trees", json!(4))
        },
    },
    Training {
        name: "numbers, by folds",
        data: "esol_220.csv",
        words: "--target log_solubility --sizes 1,4 --max-edges 2 --folds 2 --set trees=4",
        plan: |plan, _| {
            let plan = set(set(plan.target("log_solubility"), "sizes", json!([1, 4])), "max_edges", json!(2));
            set(set(plan, "folds", json!(2)), "trees", json!(4))
        },
    },
    Training {
        name: "several targets",
        data: "esol_220.csv",
        words: "--target log_solubility --target weight --preset ein --sizes 1,3 --max-edges 2 --set max_iterations=4",
        plan: |plan, _| {
            let plan = set(plan.target("log_solubility").target("weight"), "preset", json!("ein"));
            let plan = set(set(plan, "sizes", json!([1, 3])), "max_edges", json!(2));
            set(plan, "max_iterations", json!(4))
        },
    },
    Training {
        name: "a given split",
        data: "MUTAG",
        words: "--splits split.json --trial 1 --preset paper --sizes 1,2 --max-edges 3 --set max_iterations=4 --seed 5",
        plan: |plan, program| {
            let plan = plan.seed(5).split(SplitChoice::File(program.folder().join("split.json"), 1));
            let plan = set(set(plan, "preset", json!("paper")), "sizes", json!([1, 2]));
            set(set(plan, "max_edges", json!(3)), "max_iterations", json!(4))
        },
    },
    Training {
        name: "a test set and weights of classes",
        data: "tox21_ahr_200.csv",
        words: "--target toxic --test 0.2 --class-weight balanced --sizes 2 --max-edges 2 --folds 2 --head linear",
        plan: |plan, _| {
            let plan = Plan { class_weight: ClassWeight::Balanced, ..plan.target("toxic") };
            let plan = set(set(plan.split(SplitChoice::Test(0.2)), "sizes", json!([2])), "max_edges", json!(2));
            set(set(plan, "folds", json!(2)), "head", json!("linear"))
        },
    },
    Training {
        name: "resamples",
        data: "MUTAG",
        words: "--bootstrap 2 --permute 1 --preset ein --sizes 1,2 --max-edges 2 --set max_iterations=3",
        plan: |plan, _| {
            let plan = Plan { resampling: Resampling { bootstrap: 2, permute: 1 }, ..plan };
            let plan = set(set(plan, "preset", json!("ein")), "sizes", json!([1, 2]));
            set(set(plan, "max_edges", json!(2)), "max_iterations", json!(3))
        },
    },
];

impl Training {
    fn plan(&self, program: &Program) -> Plan {
        let data = repo_root().join("testdata/sets").join(self.data);
        (self.plan)(Plan::of(Source::File(data, einsicht::ReadOptions::default())), program)
    }

    /// The bytes that the program writes.
    fn of_program(&self, program: &Program) -> Vec<u8> {
        let data = repo_root().join("testdata/sets").join(self.data);
        program.run(&format!("train {} -o m.einsicht -q {}", data.display(), self.words)).success();
        std::fs::read(program.folder().join("m.einsicht")).unwrap()
    }
}

fn program() -> Program {
    let program = Program::new();
    let data = repo_root().join("testdata/sets/MUTAG");
    program.run(&format!("split {} -o split.json --scheme random --repeats 2", data.display())).success();
    program
}

#[test]
fn rust_writes_the_file_of_the_program() {
    let program = program();
    for training in &TRAININGS {
        let model = einsicht::fit(&training.plan(&program), &()).unwrap();
        assert!(model.effects.is_some(), "{}", training.name);
        assert!(model.to_bytes().unwrap() == training.of_program(&program), "{}", training.name);
    }
}

/// Stops after a number of passes, and keeps the state of every pass.
struct StopsAfter(AtomicUsize);

impl Watch for StopsAfter {
    fn passed(&self, _: TrainingId) -> AfterPass {
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        AfterPass { keep: true, save: false, stop: left == Ok(1) }
    }
}

#[test]
fn a_session_that_is_stopped_and_resumed_at_random_points_ends_in_the_same_bytes() {
    let program = program();
    for (at, training) in TRAININGS.iter().enumerate() {
        let prepared = training.plan(&program).prepare().unwrap();
        let options = FitOptions { threads: 1 + at % 2, memory: None };
        let (mut file, mut stops, mut random) = (None::<Vec<u8>>, 0, 7 + at);
        let model = loop {
            let mut session = Session::new(prepared.inputs(), &options).unwrap();
            if let Some(file) = &file {
                session = session.resume(Stage::from_bytes(file).unwrap()).unwrap();
            }
            random = (random * 1_103_515_245 + 12_345) % (1 << 31);
            let watch = StopsAfter(AtomicUsize::new(1 + random % 3));
            if session.run(&watch).unwrap() {
                assert!(matches!(session.advance(&()).unwrap(), Progress::Done));
                break session.into_model().unwrap();
            }
            stops += 1;
            file = Some(session.stage().to_bytes().unwrap());
        };
        assert!(stops >= 2, "{}: stopped {stops} times", training.name);
        assert!(model.to_bytes().unwrap() == training.of_program(&program), "{}", training.name);
    }
}

#[cfg(unix)]
#[test]
fn a_program_that_is_killed_and_resumed_at_random_points_writes_the_same_bytes() {
    let program = program();
    for (at, training) in TRAININGS.iter().enumerate() {
        let whole = training.of_program(&program);
        let data = repo_root().join("testdata/sets").join(training.data);
        let line = format!("train {} -o pieces -q {}", data.display(), training.words);
        let (mut random, mut kills, mut resume) = (11 + at, 0, "");
        loop {
            random = (random * 1_103_515_245 + 12_345) % (1 << 31);
            let action = format!("{}:kill", 2 + random % 4);
            let variables = [("EINSICHT_CHECKPOINT_PASSES", "1"), ("EINSICHT_AT_PASS", &*action)];
            let run = program.run_with(&variables, &format!("{line} {resume}"));
            if run.get_output().status.success() {
                break;
            }
            assert!(run.get_output().stderr.is_empty(), "{}: {}", training.name, text(&run.get_output().stderr));
            (kills, resume) = (kills + 1, "--resume");
            assert!(kills < 100, "{}", training.name);
        }
        assert!(kills >= 1, "{}", training.name);
        assert!(std::fs::read(program.folder().join("pieces")).unwrap() == whole, "{}", training.name);
    }
}
