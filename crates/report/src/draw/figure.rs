//! Figures for papers and documents: bars and decision trees with drawings of the subgraphs, each an SVG file of its
//! own.
//!
//! The report draws the same in the browser, where a reader can interact with it.

use super::svg::file_style;
use super::{Drawing, escape};
use crate::wording::at_least;
use einsicht_forest::{Split, Tree};
use einsicht_search::feature::Values;

/// Largest width of a drawing in a figure.
const WIDTH: f64 = 150.0;
/// Width of a question in a tree: the drawing, or the text "at least 100 copies? · 100000 graphs".
const BOX: f64 = 210.0;
/// Largest height of a drawing in a figure.
const HEIGHT: f64 = 84.0;

/// One bar: its subgraph, a text under it, and its length.
#[derive(Clone, Debug)]
pub struct Bar {
    /// The subgraph.
    pub drawing: Drawing,
    /// The text under it.
    pub text: String,
    /// The length of the bar, to the left if negative.
    pub value: f64,
}

/// What stands above a figure.
#[derive(Clone, Copy, Debug)]
pub struct Caption<'a> {
    /// The title.
    pub title: &'a str,
    /// A line under it.
    pub note: &'a str,
}

impl Caption<'_> {
    fn svg(&self) -> String {
        format!(
            "<text class=\"head\" x=\"16\" y=\"24\">{}</text><text class=\"small\" x=\"16\" y=\"44\">{}</text>",
            escape(self.title),
            escape(self.note)
        )
    }
}

/// Bars to both sides of a line, in the given order.
pub fn bars(caption: &Caption<'_>, bars: &[Bar]) -> String {
    let (row, left, reach) = (112.0, 210.0, 190.0_f64);
    let most = bars.iter().fold(1e-9_f64, |most, bar| most.max(bar.value.abs()));
    let has_minus = bars.iter().any(|bar| bar.value < 0.0);
    let zero = left + if has_minus { reach } else { 0.0 };
    let (width, height) = ((zero + reach + 80.0).max(560.0), 64.0 + row * bars.len() as f64);
    let mut body = caption.svg();
    for (at, bar) in bars.iter().enumerate() {
        let y = 60.0 + row * at as f64;
        body += &centred(&bar.drawing, 105.0, y + HEIGHT / 2.0);
        body += &format!(
            "<text class=\"code\" x=\"105\" y=\"{:.0}\">{}</text>",
            y + HEIGHT + 14.0,
            escape(&shortened(&bar.text))
        );
        let length = reach * bar.value.abs() / most;
        let from = if bar.value < 0.0 { zero - length } else { zero };
        let class = if bar.value < 0.0 { "minus" } else { "plus" };
        let middle = y + HEIGHT / 2.0;
        body += &format!(
            "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"24\" rx=\"3\"/>",
            middle - 12.0
        );
        let (x, anchor) = if bar.value < 0.0 { (from - 6.0, "end") } else { (from + length + 6.0, "start") };
        body += &format!(
            "<text class=\"value\" style=\"text-anchor:{anchor}\" x=\"{x:.1}\" y=\"{middle:.1}\">{:+.3}</text>",
            bar.value
        );
    }
    body += &format!("<path class=\"axis\" d=\"M{zero} 56V{height}\"/>");
    page(width, height, caption.title, &body)
}

/// Drawings side by side, each with a text under it.
pub fn gallery(caption: &Caption<'_>, drawings: &[(Drawing, String)]) -> String {
    const COLUMNS: usize = 4;
    let (cell, row) = (WIDTH + 30.0, HEIGHT + 34.0);
    let columns = drawings.len().clamp(1, COLUMNS);
    let (width, rows) = ((columns as f64 * cell + 32.0).max(420.0), drawings.len().div_ceil(COLUMNS));
    let mut body = caption.svg();
    for (at, (drawing, text)) in drawings.iter().enumerate() {
        let x = 16.0 + cell * ((at % COLUMNS) as f64 + 0.5);
        let y = 60.0 + row * (at / COLUMNS) as f64;
        body += &centred(drawing, x, y + HEIGHT / 2.0);
        body += &format!(
            "<text class=\"count\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>",
            y + HEIGHT + 16.0,
            escape(&shortened(text))
        );
    }
    page(width, 60.0 + row * rows as f64, caption.title, &body)
}

/// A decision tree over values of subgraphs, with the drawing of each question, the answer "yes" to the left. `answer`
/// gives the words of a leaf.
pub fn tree(
    caption: &Caption<'_>,
    tree: &Tree,
    values: Values,
    drawings: &[Drawing],
    answer: impl Fn(usize) -> [String; 2],
) -> String {
    let plan = TreePlan::new(tree);
    let (mut lines, mut boxes) = (String::new(), String::new());
    for at in plan.reached() {
        if let Some(split) = &tree.nodes[at].split {
            lines += &plan.lines(at, split);
            let question = format!("{}?", at_least(values, values.count_above(split.threshold)));
            boxes += &plan.question(at, &drawings[split.column as usize], &question);
        } else {
            boxes += &plan.leaf(at, &answer(at));
        }
    }
    let (width, height) = plan.size();
    page(width, height, caption.title, &(caption.svg() + &lines + &boxes))
}

/// Where the nodes of a tree are drawn: leaves side by side, parents above the middle of their children.
struct TreePlan<'a> {
    tree: &'a Tree,
    x: Vec<f64>,
    depth: Vec<usize>,
    next: f64,
}

impl<'a> TreePlan<'a> {
    fn new(tree: &'a Tree) -> Self {
        let mut plan = Self { tree, x: vec![0.0; tree.nodes.len()], depth: vec![0; tree.nodes.len()], next: 0.0 };
        plan.place(0, 0);
        plan
    }

    fn place(&mut self, at: usize, depth: usize) {
        self.depth[at] = depth;
        let Some(split) = self.tree.nodes[at].split else {
            self.x[at] = self.next + 56.0;
            self.next += 112.0;
            return;
        };
        let before = self.next;
        self.place(split.right as usize, depth + 1);
        self.place(split.left as usize, depth + 1);
        // A question is wider than a leaf.
        self.next = self.next.max(before + 176.0);
        self.x[at] = f64::midpoint(self.x[split.left as usize], self.x[split.right as usize]);
    }

    fn size(&self) -> (f64, f64) {
        let deepest = self.depth.iter().max().copied().unwrap_or(0);
        ((self.next + 32.0).max(420.0), Self::TOP + Self::STEP * deepest as f64 + 120.0)
    }

    const TOP: f64 = 64.0;
    const STEP: f64 = 150.0;

    /// The middle of the upper side of a node.
    fn point(&self, at: usize) -> (f64, f64) {
        (self.x[at] + 16.0, Self::TOP + Self::STEP * self.depth[at] as f64)
    }

    /// Lines from a question to what follows from its answers.
    fn lines(&self, at: usize, split: &Split) -> String {
        let (x, y) = self.point(at);
        let mut lines = String::new();
        for (child, word) in [(split.right as usize, "yes"), (split.left as usize, "no")] {
            let (to_x, to_y) = self.point(child);
            lines +=
                &format!("<path class=\"axis\" d=\"M{x:.0} {:.0}V{:.0}H{to_x:.0}V{to_y:.0}\"/>", y + 104.0, y + 118.0);
            lines += &format!("<text class=\"way\" x=\"{:.0}\" y=\"{:.0}\">{word}</text>", to_x + 6.0, to_y - 10.0);
        }
        lines
    }

    fn question(&self, at: usize, drawing: &Drawing, question: &str) -> String {
        let (x, y) = self.point(at);
        let frame = format!(
            "<rect class=\"box\" x=\"{:.0}\" y=\"{y:.0}\" width=\"{BOX}\" height=\"104\" rx=\"10\"/>",
            x - BOX / 2.0
        );
        let text = format!(
            "<text class=\"count\" x=\"{x:.0}\" y=\"{:.0}\">{question} · {} graphs</text>",
            y + 94.0,
            self.tree.nodes[at].rows
        );
        frame + &centred(drawing, x, y + 44.0) + &text
    }

    fn leaf(&self, at: usize, [first, second]: &[String; 2]) -> String {
        let (x, y) = self.point(at);
        let frame =
            format!("<rect class=\"leaf\" x=\"{:.0}\" y=\"{y:.0}\" width=\"108\" height=\"48\" rx=\"10\"/>", x - 54.0);
        let answer = format!("<text class=\"answer\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>", y + 17.0, escape(first));
        let count = format!("<text class=\"count\" x=\"{x:.0}\" y=\"{:.0}\">{}</text>", y + 36.0, escape(second));
        frame + &answer + &count
    }

    fn reached(&self) -> Vec<usize> {
        let (mut stack, mut found) = (vec![0], Vec::new());
        while let Some(at) = stack.pop() {
            found.push(at);
            if let Some(split) = &self.tree.nodes[at].split {
                stack.extend([split.left as usize, split.right as usize]);
            }
        }
        found
    }
}

/// A drawing around a point, scaled down if it is too large.
fn centred(drawing: &Drawing, x: f64, y: f64) -> String {
    let (w, h) = (f64::from(drawing.width.max(1)), f64::from(drawing.height.max(1)));
    let scale = (WIDTH / w).min(HEIGHT / h).min(1.0);
    let (left, top) = (x - scale * w / 2.0, y - scale * h / 2.0);
    let title = match drawing.title.as_str() {
        "" => String::new(),
        title => format!("<title>{}</title>", escape(title)),
    };
    let place = format!("translate({left:.1} {top:.1}) scale({scale:.3})");
    format!("<g class=\"drawing\" transform=\"{place}\">{title}{}</g>", drawing.body)
}

fn shortened(text: &str) -> String {
    const MOST: usize = 28;
    if text.chars().count() <= MOST { text.to_owned() } else { text.chars().take(MOST - 1).chain(['…']).collect() }
}

fn page(width: f64, height: f64, title: &str, body: &str) -> String {
    let own = "\
svg{background:#fff}text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,sans-serif;fill:#1b2330}\
.head{font-size:16px;font-weight:650}.small,.count,.way{font-size:12px;fill:#5a6576}\
.count,.code,.answer{text-anchor:middle}\
.code{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#5a6576}.value{font-size:13px;dominant-baseline:central}\
.answer{font-size:14px;font-weight:650}.axis{fill:none;stroke:#c3cad4;stroke-width:1.5}\
.box{fill:#f6f7f9;stroke:#dfe3e9}\
.leaf{fill:#fff;stroke:#0f6b7c;stroke-width:2}.plus{fill:#c2571a}.minus{fill:#2c6fb3}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
         height=\"{height:.0}\" \
         role=\"img\" aria-label=\"{}\">{}{body}</svg>\n",
        escape(title),
        file_style(own)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use einsicht_data::random::Random;
    use einsicht_forest::{Columns, Response, TreeParams};
    use einsicht_search::feature::CountTransform;

    fn line() -> Drawing {
        Drawing {
            width: 60,
            height: 32,
            body: "<path class=\"b\" d=\"M16 16L46 16\"/>".to_owned(),
            points: vec![(16, 16), (46, 16)],
            title: "two & two".to_owned(),
        }
    }

    #[test]
    fn figures_hold_every_bar_and_every_leaf_and_escape_their_words() {
        let bar = |value| Bar { drawing: line(), text: "<b>".to_owned(), value };
        let drawn = bars(&Caption { title: "a & b", note: "" }, &[bar(1.0), bar(-0.5)]);
        assert_eq!((drawn.matches("<rect").count(), drawn.matches("&lt;b&gt;").count()), (2, 2));
        assert!(drawn.contains("-0.500") && drawn.contains("a &amp; b"));
        let shown = gallery(&Caption { title: "all", note: "" }, &vec![(line(), "<i>".to_owned()); 5]);
        assert_eq!((shown.matches("class=\"drawing\"").count(), shown.matches("&lt;i&gt;").count()), (5, 5));
        let columns = Columns::new(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0], 4, 2);
        let response = Response::Classes { labels: &[0, 1, 1, 0], classes: 2 };
        let grown = Tree::grow(&columns, response, &[1.0; 4], &TreeParams::default(), &mut Random::new(0));
        let draw = |grown: &Tree, values| {
            let caption = Caption { title: "xor", note: "" };
            tree(&caption, grown, values, &[line(), line()], |_| ["1".to_owned(), String::new()])
        };
        let drawn = draw(&grown, Values::Presence);
        assert_eq!((drawn.matches("class=\"leaf\"").count(), drawn.matches("class=\"box\"").count()), (4, 3));
        assert_eq!(drawn.matches("contained?").count(), 3);
        // The same with counts of 2 and 5 instead of absence and presence.
        let columns = Columns::new(&[2.0, 2.0, 2.0, 5.0, 5.0, 2.0, 5.0, 5.0], 4, 2);
        let grown = Tree::grow(&columns, response, &[1.0; 4], &TreeParams::default(), &mut Random::new(0));
        let drawn = draw(&grown, Values::Count(CountTransform::Identity));
        assert_eq!((drawn.matches("at least 4 copies?").count(), drawn.matches("contained?").count()), (3, 0));
        assert_eq!(drawn.matches("<title>two &amp; two</title>").count(), 3);
        let drawn = draw(&grown, Values::Mni(CountTransform::Identity));
        assert_eq!(drawn.matches("MNI count at least 4?").count(), 3);
    }
}
