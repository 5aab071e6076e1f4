//! Pages in a real browser, driven by WebDriver over a plain socket. Skipped where chromium and its driver are missing.

mod compare;
mod large;
mod marked;
mod page;

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
            "args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                "--window-size=1200,900"],
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
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: \
             {}\r\nConnection: close\r\n\r\n",
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

    /// Presses the tabulator as often as asked, and returns what got the focus on the way.
    fn focused_by_tab(&self, times: usize) -> Value {
        self.run("window.met = []; document.addEventListener('focusin', (event) => window.met.push(event.target))");
        let presses: Vec<Value> = (0..times)
            .flat_map(|_| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": "\u{e004}" })))
            .collect();
        for presses in presses.chunks(100) {
            let actions = json!({ "actions": [{ "type": "key", "id": "keys", "actions": presses }] });
            self.request("POST", &format!("/session/{}/actions", self.session), &actions);
        }
        self.run("return window.met.length")
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

impl Browser {
    /// Nothing went wrong, and nothing was loaded from anywhere.
    fn assert_quiet(&self) {
        let errors: Vec<Value> = self.log("browser").into_iter().filter(|line| line["level"] == "SEVERE").collect();
        assert!(errors.is_empty(), "{errors:?}");
        let log = self.log("performance");
        let asked: Vec<String> = log
            .iter()
            .filter_map(|line| serde_json::from_str::<Value>(line["message"].as_str()?).ok())
            .filter(|event| event["message"]["method"] == "Network.requestWillBeSent")
            .filter_map(|event| event["message"]["params"]["request"]["url"].as_str().map(str::to_owned))
            .filter(|url| !url.starts_with("file://") && !url.starts_with("data:"))
            .collect();
        assert!(!log.is_empty() && asked.is_empty(), "{asked:?}");
    }

    /// Nothing is cut or overlaps, whatever is folded open, on a desktop and on a phone, in both themes.
    fn assert_whole(&self, page: &Path) {
        for (width, theme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
            self.pretend(width, theme);
            self.open(page);
            assert_eq!(self.run(BOXES), json!([]), "{width} {theme}");
            self.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
            assert_eq!(self.run(BOXES), json!([]), "{width} {theme}, everything open");
            let is_dark = "return getComputedStyle(document.body).backgroundColor === 'rgb(18, 22, 29)'";
            assert_eq!(self.run(is_dark), json!(theme == "dark"));
        }
    }

    /// The tabulator reaches everything that can be used, and what has the focus can be seen to have it.
    fn assert_reachable(&self, page: &Path) {
        self.pretend(1280, "light");
        self.open(page);
        let usable = "[...document.querySelectorAll('a[href], button, input, select, summary, \
            [tabindex=\"0\"]')].filter((e) => !e.disabled && e.getClientRects().length)";
        let all = self.run(&format!("return {usable}.length")).as_u64().unwrap();
        assert!(all > 10, "{all}");
        self.focused_by_tab(all as usize + 2);
        let missed = self.run(&format!(
            "const met = new Set(window.met); return {usable}.filter((e) => !met.has(e)).map((e) => \
             e.outerHTML.slice(0, 120))"
        ));
        assert_eq!(missed, json!([]), "of {all}");
        let hidden = "const seen = (e) => { e.focus(); const s = getComputedStyle(e); return \
            e.matches(':focus-visible') ? s.outlineStyle !== 'none' || s.boxShadow !== 'none' : true }; return \
            [...new Set(window.met)].filter((e) => e.isConnected && !seen(e)).map((e) => e.outerHTML.slice(0, 120))";
        assert_eq!(self.run(hidden), json!([]));
    }

    /// A checker of accessibility finds nothing serious.
    fn assert_accessible(&self, page: &Path) {
        let Some(axe) = axe() else { return };
        for (width, theme) in [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")] {
            self.pretend(width, theme);
            self.open(page);
            self.run(&axe);
            let found = self.run_async(
                "const done = arguments[arguments.length - 1]; axe.run().then((result) => \
                 done(result.violations.filter((one) => ['serious', 'critical'].includes(one.impact)).map((one) => \
                 [one.id, one.nodes.slice(0, 3).map((node) => node.html.slice(0, 160))])))",
            );
            assert_eq!(found, json!([]), "{width} {theme}");
        }
    }
}

/// Finds what is cut or overlaps, by the boxes of elements: nothing may be wider than the page, texts of drawings stay
/// inside of them, and neighbours do not lie on each other.
const BOXES: &str = r"
  const found = [];
  const name = (e) =>
    `${e.tagName.toLowerCase()}${e.id ? '#' + e.id : ''}.${e.getAttribute('class') || ''} ` +
    `'${(e.textContent || '').slice(0, 40)}'`;
  const box = (e) => e.getBoundingClientRect();
  const isSeen = (e) => box(e).width > 0 && box(e).height > 0 && getComputedStyle(e).visibility !== 'hidden';
  const width = document.documentElement.scrollWidth;
  if (width > window.innerWidth + 1) found.push(`page ${width} wide`);
  for (const e of document.querySelectorAll('main *')) {
    if (!isSeen(e) || e.closest('.scroll') || e.closest('.sr')) continue;
    if (box(e).right > window.innerWidth + 1 || box(e).left < -1) found.push('outside: ' + name(e));
  }
  for (const svg of document.querySelectorAll('svg.drawing, svg.chart')) {
    if (!isSeen(svg)) continue;
    const out = box(svg);
    for (const text of svg.querySelectorAll('text')) {
      const t = box(text);
      const isWide = t.left < out.left - 3 || t.right > out.right + 3;
      if (isWide || t.top < out.top - 3 || t.bottom > out.bottom + 3) found.push('cut text: ' + name(text));
    }
  }
  for (const svg of document.querySelectorAll('svg.chart')) {
    if (!isSeen(svg)) continue;
    const texts = [...svg.querySelectorAll('text')].filter(isSeen);
    texts.forEach((a, at) => {
      for (const b of texts.slice(at + 1)) {
        const [x, y] = [box(a), box(b)];
        const wide = Math.min(x.right, y.right) - Math.max(x.left, y.left);
        const high = Math.min(x.bottom, y.bottom) - Math.max(x.top, y.top);
        if (wide > 1.5 && high > 3) found.push(`texts overlap: ${name(a)} and ${name(b)}`);
      }
    });
  }
  const groups = 'main, .leaders, .leader, .cards, .card, .molecules, .figures, .kv, .swarms, .swarms li, ' +
    '.charts, .split, .tools, .copies, .tree, .tree ul, .settings, .bar-in, .attributions tr';
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

/// The source of axe-core, a checker of accessibility that only this test uses: installed from the registry of npm, if
/// that is possible.
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
