//! The page: safe, the same every time, true. It never shows fitted figures as predictions, and its figures are those
//! of the library.

use super::content::{Content, content};
use super::judged::{Group, ShownFigures};
use super::*;
use einsicht_data::random::Random;
use einsicht_search::feature::Feature;
use einsicht_testkit::models::{amines, by_heart, rings};

fn page(model: &Model, dataset: &Dataset) -> Content {
    let options = ReportOptions { trees: 5, ..ReportOptions::default() };
    content(model, dataset, &Provenance::of(model, dataset), &options, &|_| ())
}

fn figures(page: &Content, entry: usize, key: Group) -> Option<&ShownFigures> {
    page.entries[entry].figures.iter().find(|figures| figures.key == key)
}

fn graphs_of(page: &Content, key: Group) -> usize {
    page.groups.iter().find(|group| group.key == key).map_or(0, |group| group.graphs)
}

/// Accuracy by the confusion matrix, by the classes of the table, and by the metrics of a group.
fn accuracies(page: &Content, entry: usize, key: Group) -> [f64; 3] {
    let shown = &page.entries[entry];
    let diagnosis = shown.diagnoses[0].iter().find(|one| one.key == key).unwrap();
    let diagonal: usize = (0..2).map(|class| diagnosis.confusion[class][class]).sum();
    let of_group = || page.graphs.iter().zip(&shown.classes).filter(|(graph, _)| graph.group == key);
    let is_right = |(graph, class): &(&super::graphs::ShownGraph, &Option<usize>)| {
        graph.truth[0].as_ref().and_then(serde_json::Value::as_u64) == class.map(|class| class as u64)
    };
    let right = of_group().filter(is_right).count() as f64;
    let metrics = &figures(page, entry, key).unwrap().metrics;
    [diagonal as f64 / diagnosis.graphs as f64, right / of_group().count() as f64, metrics["accuracy"]]
}

#[test]
fn everything_that_is_judged_is_out_of_fold_or_unseen_and_equals_the_library() {
    let (dataset, model) = by_heart(0, true);
    let shown = page(&model, &dataset);
    let rows: Vec<usize> = (0..dataset.len()).collect();
    for entry in 0..model.entries.len() {
        let tasks: Vec<usize> = (0..model.tasks.len()).collect();
        let known = model.evaluation(entry, &tasks, &dataset, &rows).unwrap();
        for (key, known) in [(Group::OutOfFold, known.out_of_fold.unwrap()), (Group::Unseen, known.unseen.unwrap())] {
            let found = figures(&shown, entry, key).unwrap();
            let by_task: Vec<_> = known.targets.iter().map(|t| (t.counts.scored, t.metrics.clone())).collect();
            assert_eq!((&found.metrics, &found.by_task, found.graphs), (&known.metrics, &by_task, known.graphs));
            let [matrix, table, metric] = accuracies(&shown, entry, key);
            assert!((matrix - metric).abs() < 1e-12 && (table - metric).abs() < 1e-12, "{matrix} {table} {metric}");
        }
        assert_eq!(shown.entries[entry].held_out, model.entries[entry].valid);
    }
    let at = model.chosen;
    let [matrix, ..] = accuracies(&shown, at, Group::OutOfFold);
    let fitted = figures(&shown, at, Group::Fitted).unwrap().metrics["accuracy"];
    assert!(fitted > 0.75 && matrix < fitted - 0.1, "fitted {fitted}, out-of-fold {matrix}");
    let estimate = shown.estimate.unwrap();
    let known = &model.estimate.metrics["accuracy"];
    assert_eq!(estimate.metrics["accuracy"], [known.value, known.low, known.high]);
    assert_eq!((estimate.graphs, estimate.folds), (80, 5));
    assert!(estimate.words.contains("80 graphs in 5 folds") && estimate.words.contains("choice"), "{}", estimate.words);
}

#[test]
fn a_shuffled_copy_or_a_part_of_the_training_file_is_recognised() {
    let (dataset, model) = by_heart(0, true);
    let mut order: Vec<usize> = (0..80).collect();
    Random::new(3).shuffle(&mut order);
    let whole = page(&model, &dataset);
    let shuffled = page(&model, &dataset.subset(&order));
    for entry in 0..model.entries.len() {
        let [ours, theirs] = [&whole, &shuffled].map(|page| &figures(page, entry, Group::OutOfFold).unwrap().metrics);
        assert_eq!(ours.keys().collect::<Vec<_>>(), theirs.keys().collect::<Vec<_>>());
        assert!(ours.iter().all(|(name, value)| (value - theirs[name]).abs() < 1e-9), "{ours:?} {theirs:?}");
        assert!(figures(&shuffled, entry, Group::Unseen).is_none());
        for (at, &row) in order.iter().enumerate() {
            assert_eq!(shuffled.entries[entry].predictions[at], whole.entries[entry].predictions[row]);
        }
    }
    let part = page(&model, &dataset.subset(&[90, 3, 81, 17, 40]));
    assert_eq!([Group::OutOfFold, Group::Unseen].map(|group| graphs_of(&part, group)), [3, 2]);
    assert_eq!(part.graphs.iter().filter(|graph| graph.group == Group::Unseen).count(), 2);
}

#[test]
fn with_a_split_only_validation_graphs_are_judged_and_the_words_say_so() {
    for refit in [true, false] {
        let (dataset, model) = by_heart(20, refit);
        let shown = page(&model, &dataset);
        let [held_out, unseen, fitted] =
            [Group::OutOfFold, Group::Unseen, Group::Fitted].map(|key| graphs_of(&shown, key));
        assert_eq!((held_out, unseen, fitted), (20, 20, 60));
        let held_out = figures(&shown, model.chosen, Group::OutOfFold).unwrap();
        assert_eq!((&held_out.metrics, held_out.graphs), (&model.best().valid, 20));
        assert_eq!(shown.entries[0].diagnoses[0].iter().map(|one| one.graphs).sum::<usize>(), 40);
        assert_eq!(figures(&shown, 0, Group::Fitted).unwrap().graphs, if refit { 80 } else { 60 });
        let selected = &shown.settings.iter().find(|(name, _)| name == "size selected by").unwrap().1;
        assert_eq!((shown.held_out, selected.contains("all 80 graphs")), ("validation set", refit), "{selected}");
        assert_eq!(shown.fitted_on, if refit { "training and validation graphs" } else { "training graphs" });
        assert!(shown.estimate.unwrap().words.contains("the 20 graphs of the validation set"));
    }
}

#[test]
fn new_graphs_without_targets_have_predictions_and_no_figures() {
    let (mut dataset, model) = by_heart(0, true);
    dataset.targets.clear();
    let shown = page(&model, &dataset.subset(&(70..100).collect::<Vec<_>>()));
    assert!(shown.entries.iter().all(|entry| entry.figures.is_empty() && entry.diagnoses[0].is_empty()));
    assert_eq!([Group::OutOfFold, Group::Unseen].map(|group| graphs_of(&shown, group)), [10, 20]);
    assert!(shown.estimate.is_some());
}

fn small() -> ReportOptions {
    ReportOptions { trees: 20, command: "einsicht report <model>".to_owned(), ..ReportOptions::default() }
}

#[test]
fn a_report_is_the_same_every_time_and_loads_nothing() {
    let (dataset, model) = rings();
    let provenance = Provenance::of(&model, &dataset);
    let page = report(&model, &dataset, &provenance, &small()).unwrap();
    assert_eq!(page, report(&model, &dataset, &provenance, &small()).unwrap());
    assert!(page.starts_with("<!doctype html>"));
    let outside = ["src=", "href=\"http", "url(", "@import", "fetch("];
    assert!(outside.iter().all(|word| !page.contains(word)));
    assert!(page.contains("einsicht report \\u003c") || page.contains("einsicht report <model>"));
}

#[test]
fn what_is_filled_in_is_escaped_and_has_no_holes() {
    let html = "<p>{{ title }}</p>{{ program }}|{{ data }}|{{ script }}";
    let page = Page { html, script: "a < b", title: "<b> {{ data }}" };
    let options = ReportOptions { program: "\"einsicht\"".to_owned(), ..small() };
    assert_eq!(page.filled(&1, &options).unwrap(), "<p>&lt;b&gt; {{ data }}</p>&quot;einsicht&quot;|1|a < b");
}

#[test]
fn labels_cannot_become_markup() {
    assert_eq!(
        escape_script("\"</script><script><!-- <b\u{2028}\""),
        "\"\\u003c/script>\\u003cscript>\\u003c!-- <b\\u2028\""
    );
    let (mut dataset, mut model) = rings();
    dataset.ids[0] = "</script><script>alert(1)</script>".to_owned();
    let image = "<img src=x onerror=alert(1)>";
    dataset.name = image.to_owned();
    model.tasks[0].name = image.to_owned();
    for token in model.vertex_labels.tokens().to_vec() {
        // Short, since long names are not written into drawings.
        model.vertex_labels.set_name(token, "<b".to_owned());
    }
    let page = report(&model, &dataset, &Provenance::of(&model, &dataset), &small()).unwrap();
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    // Outside of the data, which are text to a browser, and inside of the drawings, which it gets as markup.
    let (head, data) = page.split_once("<script id=").unwrap();
    assert!(head.contains("&lt;img src=x") && !head.contains("<img"), "{head}");
    let json = data.split_once('>').and_then(|(_, rest)| rest.split("</script").next()).unwrap();
    let data: serde_json::Value = serde_json::from_str(json).unwrap();
    let drawn = [&data["patterns"], &data["graphs"]].map(|list| list.as_array().unwrap().clone()).concat();
    let markup: Vec<String> = drawn.iter().map(|one| one["picture"].to_string()).collect();
    assert!(markup.iter().any(|text| text.contains("&lt;b")), "{}", markup[0]);
    assert!(markup.iter().all(|text| !text.contains("<b")));
}

#[test]
fn graphs_without_truth_or_beyond_the_limit_are_left_out_of_what_cannot_be_shown() {
    let (mut dataset, model) = rings();
    dataset.targets.clear();
    let provenance = Provenance::of(&model, &dataset);
    let options = ReportOptions { max_graphs: 7, ..small() };
    let page = content(&model, &dataset, &provenance, &options, &|_| ());
    assert_eq!((page.graphs.len(), page.total), (7, 60));
    assert!(page.graphs.iter().all(|graph| graph.truth == [None]));
    assert!(page.warnings.iter().any(|warning| warning.contains("no target")));
    assert!(report(&model, &dataset.subset(&[]), &provenance, &options).is_err());
}

#[test]
fn the_page_says_what_qualified_patterns_and_counts_mean() {
    let sentences = |feature| {
        let (dataset, model) = amines(feature);
        let page = content(&model, &dataset, &Provenance::of(&model, &dataset), &small(), &|_| ());
        assert!(model.patterns.iter().any(|pattern| !pattern.code.qualifiers().is_empty()));
        let whole = serde_json::to_value(&page).unwrap();
        for pattern in whole["patterns"].as_array().unwrap() {
            let is_qualified = pattern["text"].as_str().unwrap().contains('[');
            assert!(!is_qualified || pattern["words"] != pattern["text"], "{pattern}");
            assert!(pattern["smarts"].is_string(), "{pattern}");
        }
        // No molecule shows the common label of halogens.
        assert!(whole["graphs"].as_array().unwrap().iter().all(|graph| !graph["picture"].to_string().contains(">X")));
        page.reading.join(" ")
    };
    let presence = sentences(Feature::Presence);
    assert!(presence.contains("exactly the hydrogens") && !presence.contains("copies"), "{presence}");
    assert!(sentences(Feature::Count).contains("counts copies"));
    assert!(sentences(Feature::Mni).contains("not a number of copies"));
}

#[test]
fn all_graphs_are_explained_at_the_selected_size_and_some_at_others() {
    let (dataset, model) = by_heart(0, true);
    let many: Vec<usize> = (0..4).flat_map(|_| 0..dataset.len()).collect();
    let shown = page(&model, &dataset.subset(&many));
    for (at, entry) in shown.entries.iter().enumerate() {
        assert_eq!(entry.explained.is_none(), at == model.chosen);
        let explained = entry.explained.clone().unwrap_or_else(|| (0..shown.graphs.len()).collect());
        assert_eq!(entry.attributions.len(), explained.len());
        let wanted = if at == model.chosen { shown.graphs.len() } else { 96 };
        assert!(explained.len() == wanted && explained.is_sorted_by(|a, b| a < b));
        // What is reused from the effects is what would be computed for the graph.
        let subject = einsicht_explain::Subject { model: &model, entry: at, dataset: &dataset };
        let (baseline, options) =
            (einsicht_explain::ShapleyBaseline::Background, einsicht_explain::ShapleyOptions::default());
        let method = einsicht_explain::AttributionMethod::Shapley { baseline, options };
        let rows: Vec<usize> = explained.iter().map(|row| row % dataset.len()).collect();
        let request = einsicht_explain::AttributionRequest {
            subject,
            rows: &rows,
            scale: einsicht_explain::Scale::of(&model),
            method,
        };
        let found = einsicht_explain::attributions(&request);
        for (graph, own) in entry.attributions.iter().enumerate() {
            let present = (0..found.names.len()).filter(|&feature| found.features_of(graph)[feature] != 0.0);
            let known: Vec<f64> = present.map(|feature| found.value(&found.graphs[graph], feature, 0)).collect();
            let own = own.numbers();
            assert!(
                own.len() == known.len() && own.iter().zip(&known).all(|(a, b)| (a - b).abs() < 1e-5),
                "{at} {graph}"
            );
        }
    }
    let whole = serde_json::to_value(&shown).unwrap();
    let chosen = &whole["entries"][model.chosen];
    // What a subgraph does in a graph that contains it is the same in the swarm and in the table of the graph, up to 64
    // levels.
    let swarm = &chosen["swarms"][0][0];
    let (pattern, scale) = (swarm["pattern"].as_u64().unwrap() as usize, swarm["scale"].as_f64().unwrap());
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let known = chosen["patterns"][pattern].as_u64().unwrap() as usize;
    let mut compared = 0;
    let stride = chosen["swarm_stride"].as_u64().unwrap() as usize;
    for (dot, letter) in swarm["values"].as_str().unwrap().chars().enumerate() {
        let row = dot * stride;
        let graph = &shown.graphs[row];
        let inside: Vec<usize> =
            chosen["patterns"].as_array().unwrap().iter().map(|p| p.as_u64().unwrap() as usize).collect();
        let present: Vec<usize> = inside.into_iter().filter(|p| graph.present.contains(p)).collect();
        let Some(at) = present.iter().position(|p| *p == known) else { continue };
        let level = letters.find(letter).unwrap() as f64;
        let value = (level / 31.5 - 1.0) * scale;
        let exact = shown.entries[model.chosen].attributions[row].numbers()[at];
        assert!((value - exact).abs() <= scale / 31.0, "{value} {exact}");
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn the_first_screen_says_what_is_predicted_and_what_guessing_gives() {
    let (dataset, model) = rings();
    let shown = page(&model, &dataset);
    let [target, balance, guessing] = &shown.stories[0];
    assert!(target.as_ref().unwrap().starts_with(&model.tasks[0].name));
    assert!(balance.as_ref().unwrap().contains('%') && guessing.as_ref().unwrap().contains("always guessing"));
    let mut without = dataset.clone();
    without.targets.clear();
    assert_eq!(page(&model, &without).stories[0][1..], [None, None]);
}

#[test]
fn two_models_are_judged_on_the_same_graphs_and_share_what_is_equal() {
    let (dataset, model) = by_heart(0, true);
    let (_, split) = by_heart(20, true);
    let provenances = [&model, &split].map(|model| Provenance::of(model, &dataset));
    let compared = |models: [&Model; 2]| {
        let sides = [0, 1].map(|at| {
            let provenance = &provenances[usize::from(std::ptr::eq(models[at], &raw const split))];
            ComparedModel { name: "m", model: models[at], dataset: &dataset, provenance }
        });
        compare::comparison(sides, &small(), &|_| ()).map(|found| (serde_json::to_value(&found).unwrap(), found))
    };
    // A model and itself: no difference, all subgraphs are shared.
    let (same, found) = compared([&model, &model]).unwrap();
    let task = &same["tasks"][0];
    assert_eq!((&task["agreement"], &task["difference"]), (&1.0.into(), &serde_json::json!([0.0, 0.0, 0.0])));
    let patterns = model.best().iterate.patterns.len();
    assert!(patterns > 0 && found.shared.len() == patterns && found.shared.iter().all(|one| one.is_equal));
    let known = model.evaluation(model.chosen, &[0], &dataset, &(0..dataset.len()).collect::<Vec<_>>()).unwrap();
    let [seen, unseen] = [known.out_of_fold.unwrap(), known.unseen.unwrap()];
    let graphs = (seen.scored + unseen.scored) as f64;
    let right =
        (seen.metrics["accuracy"] * seen.scored as f64 + unseen.metrics["accuracy"] * unseen.scored as f64) / graphs;
    assert!((task["values"][0].as_f64().unwrap() - right).abs() < 1e-9 && task["judged"].as_f64() == Some(graphs));
    // Another model: only graphs that both are judged on count, and the four cases are all of them.
    let (other, found) = compared([&model, &split]).unwrap();
    let task = &other["tasks"][0];
    let cases: u64 = task["cases"].as_array().unwrap().iter().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((cases, task["judged"].as_u64()), (40, Some(40)));
    let apart: Vec<f64> = other["graphs"].as_array().unwrap().iter().map(|g| g["distance"].as_f64().unwrap()).collect();
    assert!(apart.is_sorted_by(|a, b| a >= b) && apart.len() == found.graphs.len());
    // Nothing in common.
    let mut renamed = model.clone();
    renamed.tasks[0].name = "another".to_owned();
    let error = compared([&model, &renamed]).err().unwrap().to_string();
    assert!(error.contains("a target in common") && error.contains("another"), "{error}");
}

#[test]
fn the_sources_of_the_page_have_lines_that_people_can_read() {
    for line in SCRIPT.lines().chain(COMPARE_SCRIPT.lines()).chain(STYLE.lines()) {
        assert!(line.chars().count() <= 140, "{line}");
    }
    // Nothing that is loaded, and no text that becomes markup but the drawings of the program.
    for script in [SCRIPT, COMPARE_SCRIPT] {
        assert_eq!(script.matches("innerHTML").count(), 1);
        assert!(["import ", "require(", "fetch(", "XMLHttpRequest", "eval("].iter().all(|word| !script.contains(word)));
    }
}

#[test]
fn progress_grows_to_one() {
    let (dataset, model) = by_heart(0, true);
    let heard = std::cell::RefCell::new(Vec::new());
    let provenance = Provenance::of(&model, &dataset);
    report_with_progress(&model, &dataset, &provenance, &small(), &|part| heard.borrow_mut().push(part)).unwrap();
    let heard = heard.into_inner();
    // Recognising graphs, finding subgraphs, then each size.
    assert!(heard.len() == model.entries.len() + 2 && heard.is_sorted() && heard[0] > 0.0, "{heard:?}");
    assert!((heard[heard.len() - 1] - 1.0).abs() < 1e-12);
}
