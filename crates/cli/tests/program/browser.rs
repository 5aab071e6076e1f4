//! The report in a real browser, driven by WebDriver over a plain socket. Skipped where chromium and its driver are missing.

use crate::Program;
use einsicht_testkit::skip::{Need, skip};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// A browser without a screen.
struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    fn start() -> Option<Self> {
        let mut driver =
            match Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn() {
                Ok(driver) => driver,
                Err(problem) => {
                    skip(
                        Need::Browser,
                        &format!("chromedriver (Debian: chromium-driver) cannot be started: {problem}"),
                    );
                    return None;
                }
            };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let port = lines.map_while(Result::ok).find_map(|line| {
            let (_, after) = line.split_once("started successfully on port ")?;
            after.trim_end_matches('.').parse().ok()
        });
        let mut browser = Self { driver, port: port.expect("the driver tells its port"), session: String::new() };
        let options = json!({
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1200,900"],
        });
        let always = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        let answer = browser.request("POST", "/session", &json!({ "capabilities": { "alwaysMatch": always } }));
        let Some(session) = answer["sessionId"].as_str() else {
            skip(Need::Browser, &format!("chromium cannot be started: {answer}"));
            return None;
        };
        session.clone_into(&mut browser.session);
        Some(browser)
    }

    /// One request; the `value` of the answer.
    fn request(&self, method: &str, path: &str, body: &Value) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(2))).unwrap();
        let text = if method == "GET" { String::new() } else { body.to_string() };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            text.len()
        );
        stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(text.as_bytes())).unwrap();
        let mut reader = BufReader::new(stream);
        let mut length = 0;
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).unwrap();
            if line.trim().is_empty() {
                break;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().unwrap();
            }
        }
        let mut answer = vec![0; length];
        reader.read_exact(&mut answer).unwrap();
        serde_json::from_slice::<Value>(&answer).unwrap()["value"].take()
    }

    fn open(&self, page: &Path) {
        let address = json!({ "url": format!("file://{}", page.display()) });
        let answer = self.request("POST", &format!("/session/{}/url", self.session), &address);
        assert!(answer.is_null(), "{answer}");
    }

    /// Runs a script in the page and returns what it returns.
    fn run(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        let answer = self.request("POST", &format!("/session/{}/execute/sync", self.session), &body);
        assert!(answer.get("error").is_none(), "{script}: {answer}");
        answer
    }

    /// Runs a script that calls the last of its arguments when it is done, and returns what it says.
    fn run_async(&self, script: &str) -> Value {
        let body = json!({ "script": script, "args": [] });
        let answer = self.request("POST", &format!("/session/{}/execute/async", self.session), &body);
        assert!(answer.get("error").is_none(), "{answer}");
        answer
    }

    /// A command of the browser's own protocol.
    fn command(&self, name: &str, params: &Value) {
        let body = json!({ "cmd": name, "params": params });
        self.request("POST", &format!("/session/{}/goog/cdp/execute", self.session), &body);
    }

    /// Shows pages as on a screen of this width and theme.
    fn pretend(&self, width: u32, theme: &str) {
        let size = json!({ "width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500 });
        self.command("Emulation.setDeviceMetricsOverride", &size);
        let features = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.command("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    fn log(&self, kind: &str) -> Vec<Value> {
        let path = format!("/session/{}/se/log", self.session);
        self.request("POST", &path, &json!({ "type": kind })).as_array().cloned().unwrap_or_default()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        if !self.session.is_empty() {
            self.request("DELETE", &format!("/session/{}", self.session), &json!({}));
        }
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

const EVIL: &str = "<script>window.hacked=1</script>";

#[test]
fn the_report_works_in_a_browser() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let mutag = einsicht_testkit::shared::fixture("MUTAG");
    program.write("names.txt", &format!("0 {EVIL}\n1 N\n2 O\n"));
    let data = format!("{} --vertex-names names.txt", mutag.display());
    program.stdout(&format!("train {data} --max-edges 4 --sizes 1,3,8 -o model.einsicht -q"));
    program.stdout(&format!("report model.einsicht {data} -o report.html -q"));
    browser.open(&program.folder().canonicalize().unwrap().join("report.html"));

    // The label is shown as text and did nothing.
    assert!(browser.run("return window.hacked === undefined").as_bool().unwrap());
    assert!(browser.run("return document.getElementById('legend').textContent").as_str().unwrap().contains(EVIL));

    // Every size has its own gallery and metrics.
    let mut seen = Vec::new();
    for at in 0..3 {
        browser.run(&format!(
            "const size = document.getElementById('size'); size.value = {at}; size.dispatchEvent(new Event('input'))"
        ));
        let cards = browser.run("return document.querySelectorAll('#gallery .card').length");
        let wanted = browser.run(&format!("return R.entries[{at}].patterns.length"));
        assert_eq!(cards, wanted);
        seen.push(browser.run("return document.getElementById('metrics').textContent"));
    }
    assert!(seen[0] != seen[1] && seen[1] != seen[2]);

    // The selected model has its estimate, and the confusion matrix is that of the out-of-fold predictions.
    browser.run("choose(R.chosen)");
    let words = browser.run("return document.getElementById('metrics').textContent");
    assert!(words.as_str().unwrap().contains("expected for new graphs; 95 % interval"), "{words}");
    let matrix = "const cells = [...document.querySelectorAll('[data-group=out_of_fold] .matrix td[style]')].map((c) => Number(c.textContent)); return ((cells[0] + cells[3]) / (cells[0] + cells[1] + cells[2] + cells[3])).toFixed(3)";
    let metric =
        "return document.querySelector('#metric-table td[data-metric=accuracy][data-set=out_of_fold]').textContent";
    assert_eq!(browser.run(matrix), browser.run(metric));
    assert_eq!(browser.run("return document.querySelectorAll('#errors .matrix').length"), 1);

    // Sorting: up, then down.
    let column =
        "return [...document.querySelectorAll('#table tbody tr')].map((row) => parseFloat(row.cells[3].textContent))";
    let numbers = |value: Value| value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect::<Vec<_>>();
    browser.run("document.querySelector('th[data-key=probability] button').click()");
    let first = numbers(browser.run(column));
    browser.run("document.querySelector('th[data-key=probability] button').click()");
    let second = numbers(browser.run(column));
    assert!(first.is_sorted_by(|a, b| a >= b) && second.is_sorted_by(|a, b| a <= b) && first != second);

    // Filters.
    let shown = "return document.getElementById('pager').textContent";
    let all = browser.run(shown);
    browser.run("document.getElementById('filter-wrong').click()");
    assert_ne!(browser.run(shown), all);
    let wrong = "return [...document.querySelectorAll('#table tbody tr')].every((row) => row.cells[1].textContent !== row.cells[2].textContent)";
    assert!(browser.run(wrong).as_bool().unwrap());
    browser.run("document.getElementById('filter-wrong').click()");
    browser
        .run("const f = document.getElementById('filter-text'); f.value = '17'; f.dispatchEvent(new Event('input'))");
    let found = "return [...document.querySelectorAll('#table tbody tr')].every((row) => row.cells[0].textContent.includes('17'))";
    assert!(browser.run(found).as_bool().unwrap());

    browser.run("const f = document.getElementById('filter-text'); f.value = ''; f.dispatchEvent(new Event('input'))");

    // A graph opens, its attributions sum to the output, and a chosen subgraph is marked in its drawing.
    browser.run("document.querySelector('th[data-key=found] button').click()");
    browser.run("document.querySelector('#table tbody tr').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 0);
    browser.run("document.querySelector('#detail .attributions tr[data-pattern]').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 1);
    let sum = "const v = [...document.querySelectorAll('#detail .attributions td.v')].map((c) => parseFloat(c.textContent.replace('−', '-'))); return v.slice(0, -1).reduce((a, b) => a + b, 0) - v[v.length - 1]";
    assert!(browser.run(sum).as_f64().unwrap().abs() < 0.01);

    // Nothing went wrong and nothing was loaded.
    let errors: Vec<Value> = browser.log("browser").into_iter().filter(|line| line["level"] == "SEVERE").collect();
    assert!(errors.is_empty(), "{errors:?}");
    let log = browser.log("performance");
    let asked: Vec<String> = log
        .iter()
        .filter_map(|line| serde_json::from_str::<Value>(line["message"].as_str()?).ok())
        .filter(|event| event["message"]["method"] == "Network.requestWillBeSent")
        .filter_map(|event| event["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
        .filter(|url| !url.starts_with("file://") && !url.starts_with("data:"))
        .collect();
    assert!(!log.is_empty() && asked.is_empty(), "{asked:?}");
}

#[test]
fn graphs_that_were_fitted_on_are_counted_and_not_judged() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let mutag = einsicht_testkit::shared::fixture("MUTAG").display().to_string();
    let rows = |rows: std::ops::Range<usize>| rows.map(|row| row.to_string()).collect::<Vec<_>>().join(",");
    let [train, valid, test] = [rows(0..100), rows(100..140), rows(140..188)];
    program.write(
        "split.json",
        &format!(r#"{{"trials": [{{"train": [{train}], "valid": [{valid}], "test": [{test}]}}]}}"#),
    );
    program.stdout(&format!("train {mutag} --split split.json --folds 1 --max-edges 3 --sizes 3 -o model.einsicht -q"));
    program.stdout(&format!("report model.einsicht {mutag} -o report.html -q"));
    browser.open(&program.folder().canonicalize().unwrap().join("report.html"));
    let count = |script: &str| browser.run(script).as_u64().unwrap();
    let fitted = count("return R.groups.find((one) => one.key === 'fitted').graphs");
    assert!(fitted >= 100, "{fitted}");
    let judged = count(
        "return [...document.querySelectorAll('#errors .matrix td[style]')].reduce((sum, c) => sum + Number(c.textContent), 0)",
    );
    assert_eq!((judged + fitted, count("return document.querySelectorAll('#errors .matrix').length")), (188, 2));
    assert!(
        browser
            .run("return document.getElementById('errors').textContent")
            .as_str()
            .unwrap()
            .contains("counted, not scored")
    );
    // The table shows no prediction for them, and none of them counts as wrong.
    let of_fitted = "return [...document.querySelectorAll('#table tbody tr')].filter((row) => row.cells[1].textContent === 'fitted only').map((row) => row.cells[3].textContent)";
    let shown = browser.run(of_fitted);
    assert!(
        !shown.as_array().unwrap().is_empty() && shown.as_array().unwrap().iter().all(|text| text == "–"),
        "{shown}"
    );
    browser.run("document.getElementById('filter-wrong').click()");
    assert_eq!(browser.run(of_fitted).as_array().unwrap().len(), 0);
    // Fitted figures are one column of one table; the open graph says what is fitted.
    assert_eq!(count("return document.querySelectorAll('th[data-set=fitted]').length"), 1);
    browser.run("open(R.graphs.findIndex((graph) => graph.group === 'fitted'), null)");
    let detail = browser.run("return document.getElementById('detail').textContent");
    assert!(detail.as_str().unwrap().contains("this is not a prediction"), "{detail}");
    let errors: Vec<Value> = browser.log("browser").into_iter().filter(|line| line["level"] == "SEVERE").collect();
    assert!(errors.is_empty(), "{errors:?}");
}

/// Finds what is cut or overlaps, by the boxes of elements: nothing may be wider than the page, texts of drawings stay inside of them, and
/// neighbours do not lie on each other.
const BOXES: &str = r"
  const found = [];
  const name = (e) => `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''}.${e.getAttribute('class') || ''} '${(e.textContent || '').slice(0, 40)}'`;
  const box = (e) => e.getBoundingClientRect();
  const isSeen = (e) => box(e).width > 0 && box(e).height > 0 && getComputedStyle(e).visibility !== 'hidden';
  if (document.documentElement.scrollWidth > window.innerWidth + 1) found.push(`page ${document.documentElement.scrollWidth} wide`);
  for (const e of document.querySelectorAll('main *')) {
    if (!isSeen(e) || e.closest('.scroll') || e.closest('.sr')) continue;
    if (box(e).right > window.innerWidth + 1 || box(e).left < -1) found.push('outside: ' + name(e));
  }
  for (const svg of document.querySelectorAll('svg.drawing, svg.chart')) {
    if (!isSeen(svg)) continue;
    const out = box(svg);
    for (const text of svg.querySelectorAll('text')) {
      const t = box(text);
      if (t.left < out.left - 3 || t.right > out.right + 3 || t.top < out.top - 3 || t.bottom > out.bottom + 3) found.push('cut text: ' + name(text));
    }
  }
  const groups = 'main, .leaders, .leader, .cards, .card, .molecules, .figures, .kv, .swarms, .swarms li, .charts, .split, .tools, .copies, .tree, .tree ul, .settings, .bar-in, .attributions tr';
  for (const parent of document.querySelectorAll(groups)) {
    const children = [...parent.children].filter(isSeen);
    children.forEach((a, at) => {
      for (const b of children.slice(at + 1)) {
        const [x, y] = [box(a), box(b)];
        const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
        const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
        if (wide > 1.5 && high > 1.5) found.push(`overlap: ${name(a)} and ${name(b)}`);
      }
    });
  }
  for (const e of document.querySelectorAll('.name, .code, .lead, .note, .kv .k, .kv .v, figcaption, td, th')) {
    if (isSeen(e) && !e.closest('.scroll') && e.scrollWidth > e.clientWidth + 2) found.push('cut: ' + name(e));
  }
  return [...new Set(found)].slice(0, 12);
";

/// A page about molecules: rings, charges, counts, several subgraphs.
fn molecules(program: &Program) -> std::path::PathBuf {
    let pieces = ["c1ccccc1", "c1ccncc1", "CCO", "CC(=O)N", "C1CCCCC1", "CCN", "CC(F)C", "c1ccoc1"];
    let mut table = "smiles,active\n".to_owned();
    for at in 0..120_usize {
        let (first, second) = (pieces[at % 8], pieces[(at / 8) % 8]);
        // Every eleventh is against the rule.
        let is_active = usize::from((first.contains('n') || second.contains("(=O)N")) != (at % 11 == 0));
        table += &format!("{first}{}{second},{is_active}\n", "C".repeat(1 + at / 64));
    }
    // Too large to draw.
    table += &format!("{},0\n", "C".repeat(1000));
    program.write("molecules.csv", &table);
    program.stdout("train molecules.csv --target active --max-edges 4 --sizes 2,6 -o model.einsicht -q");
    program.stdout("report model.einsicht molecules.csv -o report.html -q");
    program.folder().canonicalize().unwrap().join("report.html")
}

#[test]
fn nothing_is_cut_or_overlaps_on_a_desktop_and_on_a_phone_in_both_themes() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = molecules(&program);
    for (width, theme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
        browser.pretend(width, theme);
        browser.open(&page);
        assert_eq!(browser.run(BOXES), json!([]), "{width} {theme}");
        browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        assert_eq!(browser.run(BOXES), json!([]), "{width} {theme}, everything open");
        let is_dark = "return getComputedStyle(document.body).backgroundColor === 'rgb(18, 22, 29)'";
        assert_eq!(browser.run(is_dark), json!(theme == "dark"));
    }
    let errors: Vec<Value> = browser.log("browser").into_iter().filter(|line| line["level"] == "SEVERE").collect();
    assert!(errors.is_empty(), "{errors:?}");
}

#[test]
fn the_first_screen_tells_the_story_with_the_numbers_of_the_terminal() {
    let Some(browser) = Browser::start() else { return };
    let program = Program::new();
    let page = molecules(&program);
    browser.open(&page);
    let text = |id: &str| {
        browser.run(&format!("return document.getElementById('{id}').textContent")).as_str().unwrap().to_owned()
    };
    assert!(text("h-headline").starts_with("Predicts active (0 or 1) from "), "{}", text("h-headline"));
    let zeros: f64 = text("story").split("0: ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap();
    let part = (zeros / 121.0).max(1.0 - zeros / 121.0);
    assert!(text("story").contains(&format!("accuracy {part:.3}")), "{}", text("story"));
    // The metrics are those of `evaluate`.
    let known: Value =
        serde_json::from_str(&program.stdout("evaluate model.einsicht molecules.csv --json -q")).unwrap();
    let known = &known["seen"]["out_of_fold"];
    for name in ["accuracy", "auc", "balanced_accuracy", "loss", "pr_auc"] {
        let cell = format!("return document.querySelector('td[data-metric={name}][data-set=out_of_fold]').textContent");
        assert_eq!(browser.run(&cell), json!(format!("{:.3}", known[name].as_f64().unwrap())), "{name}");
    }
    // The effects are those of `show`, with their signs; the largest comes first.
    let shown: Value = serde_json::from_str(&program.stdout("show model.einsicht --json -q")).unwrap();
    let effects = shown["effects"]["patterns"].as_array().unwrap();
    let mut known: Vec<f64> = effects.iter().filter_map(|effect| effect["effects"][0].as_f64()).collect();
    known.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
    let leaders = browser.run("return [...document.querySelectorAll('.leader .amount')].map((one) => one.textContent)");
    let leaders: Vec<&str> = leaders.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
    assert!(!leaders.is_empty() && leaders.len() <= 5);
    for (text, effect) in leaders.iter().zip(&known) {
        assert_eq!(*text, format!("{effect:+.3}").replace('-', "−"));
    }
    // A subgraph leads to its card, with molecules that contain it, and a molecule opens.
    let cards = "return [...document.querySelectorAll('#gallery .card')].map((card) => card.querySelectorAll('button.molecule').length)";
    let counts = browser.run(cards);
    assert!(counts.as_array().unwrap().iter().all(|count| (1..=3).contains(&count.as_u64().unwrap())), "{counts}");
    browser.run("document.querySelector('#gallery button.molecule').click()");
    assert_eq!(browser.run("return document.querySelectorAll('#detail path.h').length"), 1);
    // Every dot of the swarm is a graph, and pieces of rings are drawn with the rest of the ring.
    assert!(browser.run("return document.querySelectorAll('.swarm circle[data-row]').length").as_u64().unwrap() >= 100);
    browser.run("document.querySelector('.swarm circle[data-row=\"17\"]').dispatchEvent(new MouseEvent('click', { bubbles: true }))");
    assert_eq!(browser.run("return state.graph"), 17);
    // A graph that is too large to draw says so, and has its reasons.
    browser.run("open(120, null)");
    assert!(text("detail").contains("1000 vertices: too large to draw"), "{}", text("detail"));
    assert!(browser.run("return document.querySelectorAll('#detail .attributions tr').length").as_u64().unwrap() > 2);
    // What can be clicked can be reached by the keyboard.
    let unreachable = "return [...document.querySelectorAll('#table tbody tr, .attributions tr[data-pattern]')].filter((row) => !row.querySelector('button')).length";
    assert_eq!(browser.run(unreachable), 0);
}

/// The source of axe-core, a checker of accessibility that only this test uses: installed from the registry of npm, if that is possible.
fn axe() -> Option<String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("axe");
    let file = folder.join("node_modules/axe-core/axe.min.js");
    if !file.exists() {
        let mut install = Command::new("npm");
        install.args(["install", "--silent", "--no-save", "--prefix"]).arg(&folder).arg("axe-core@4.10.2");
        let done = install.stdout(Stdio::null()).stderr(Stdio::null()).status();
        if !done.is_ok_and(|status| status.success()) {
            skip(Need::Browser, "axe-core cannot be installed by npm");
            return None;
        }
    }
    std::fs::read_to_string(file).ok()
}

#[test]
fn a_checker_of_accessibility_finds_no_serious_problem() {
    let Some(browser) = Browser::start() else { return };
    let Some(axe) = axe() else { return };
    let program = Program::new();
    let page = molecules(&program);
    for (width, theme) in [(1280, "light"), (390, "dark")] {
        browser.pretend(width, theme);
        browser.open(&page);
        browser.run(&axe);
        let found = browser.run_async(
            "const done = arguments[arguments.length - 1]; axe.run().then((result) => done(result.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))])))",
        );
        assert_eq!(found, json!([]), "{width} {theme}");
    }
}
