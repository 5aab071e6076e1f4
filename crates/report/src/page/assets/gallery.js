/* Gallery of subgraphs ----------------------------------------------------------------------------------------- */
const ORDERS = [
  ["effect", "size of the effect"],
  ["importance", "importance in a random forest"],
  ["permutation", "permutation importance"],
  ["support", "support"],
  ["edges", "number of edges"],
];
function classKeys(names) {
  const key = (name, at) => make("span", { class: "key" }, make("i", { class: `k${at % 8}` }), name);
  return note(...names.map(key));
}
// A bar that is divided by counts.
function countBar(counts, label) {
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  const part = (count, at) => make("i", { class: `k${at % 8}`, style: `width:${(100 * count) / total}%` });
  return make("div", { class: "bars", role: "img", "aria-label": label }, ...counts.map(part));
}
const importances = () =>
  entry().importance[Math.max(0, shownTasks.indexOf(quantity().task))] || entry().patterns.map(() => 0);
function sortKey() {
  const now = entry();
  if (state.order === "support" || state.order === "edges") {
    return now.patterns.map((p) => R.patterns[p][state.order]);
  }
  if (state.order === "effect") return now.patterns.map((_, at) => Math.abs(effect(at) || 0));
  return { permutation: now.permutation }[state.order] || importances();
}
const fact = (name, text) => [make("span", { class: "k" }, name), make("span", { class: "v" }, text)];
// The effect of a subgraph on the explained output: the number, a bar to the side of its sign, and its interval.
function effectFacts(at, largest) {
  const value = effect(at);
  if (isMissing(value)) return fact("effect", "unknown: no graph here contains it");
  const ends = entry().intervals[at][state.quantity];
  return [
    ...fact(
      isByAmount(at) ? "effect of more" : "effect",
      make("b", { class: value < 0 ? "down" : "up" }, signedShort(value)),
    ),
    make("span", { class: "whole" }, effectBar(value, ends, largest)),
    make("span", { class: "whole" }, ends ? intervalText(ends) : "no interval: few graphs"),
    ...fact("graphs where positive", wholePercent(entry().raises[at][state.quantity])),
  ];
}
function cardFacts(at, pattern, largest) {
  const [now, importance] = [entry(), importances()];
  const facts = [...effectFacts(at, largest), ...fact("importance", percent(importance[at]))];
  if (now.permutation) {
    const isError = ["loss", "rmse", "mae"].includes(R.permutation_metric);
    const change = isError ? now.permutation[at] : -now.permutation[at];
    facts.push(...fact(`${metricName(R.permutation_metric)} if permuted`, signed(change)));
  }
  const ratio = isClassification() ? pattern.odds_ratios[classTask()] : null;
  if (!isMissing(ratio)) {
    facts.push(...fact(`odds ratio for ${task().classes[1]} (data)`, String(Number(ratio.toPrecision(2)))));
  }
  return make("div", { class: "kv" }, ...facts);
}
// Graphs of the fit with the subgraph, by class of the explained task.
function classCounts(pattern) {
  const counts = isClassification() ? pattern.by_class[classTask()] : null;
  if (!counts) return null;
  const names = task().classes;
  const texts = counts.map((count, at) => `${names[at]}: ${count}`);
  const text = make("div", { class: "soft tiny" }, texts.join(" · "));
  return make("div", {}, countBar(counts, texts.join(", ")), text);
}

/* Molecules with a subgraph ------------------------------------------------------------------------------------ */
// What separates high predictions from low ones: the mean, or the probability of a class as likely as the others.
function middle() {
  if (isClassification()) return 1 / Math.max(2, task().classes.length);
  return R.graphs.reduce((sum, _, row) => sum + value(row, state.quantity), 0) / R.graphs.length;
}
// Two graphs whose predictions go with the effect of a subgraph, and one against it: small ones are easy to read.
function examplesOf(at, index) {
  const sign = (effect(at) || 0) < 0 ? -1 : 1;
  const size = (row) => R.graphs[row].points.length || Infinity;
  const containing = R.graphs.map((_, row) => row).filter((row) => R.graphs[row].present.includes(index));
  const drawn = containing
    .filter((row) => R.graphs[row].points.length)
    .sort((a, b) => size(a) - size(b) || a - b);
  const limit = middle();
  const along = drawn.filter((row) => sign * (value(row, state.quantity) - limit) > 0);
  const against = drawn.filter((row) => !along.includes(row));
  // Neither the smallest ones, which may be the subgraph alone, nor ones that fill the screen.
  const pick = (list, part) => list[Math.min(list.length - 1, Math.floor(part * list.length))];
  const rows = [pick(along, 0.15), pick(along, 0.4)].map((row) => [row, "with"]);
  rows.push([pick(against, 0.25), "against"]);
  const seen = new Set();
  return rows.filter(([row]) => row !== undefined && !seen.has(row) && seen.add(row));
}
function example([row, side], index) {
  const name = (content) => (isClassification() ? task().classes[content] : number(content, 2));
  const parts = [`${isOnlyFitted(row) ? "fitted" : "predicted"} ${name(said(row))}`];
  if (truth(row) !== null) parts.push(`true ${name(truth(row))}`);
  const words = side === "against" ? "against the effect" : "with the effect";
  const caption = make(
    "figcaption",
    {},
    make("b", {}, R.graphs[row].id),
    ` ${parts.join(", ")}`,
    make("span", { class: `side ${side}` }, words),
  );
  const click = () => open(row, index, true);
  const title = `graph ${R.graphs[row].id} with the subgraph: show it`;
  const button = make("button", { class: "molecule", title, on: { click } }, graphDrawing(row, index));
  return make("figure", {}, button, caption);
}

/* Cards -------------------------------------------------------------------------------------------------------- */
function copyButton(text, what) {
  const click = (event) => {
    const done = () => {
      event.target.textContent = "copied";
      $("live").textContent = `${what} copied`;
    };
    if (navigator.clipboard) navigator.clipboard.writeText(text).then(done, () => {});
  };
  return make(
    "button",
    { class: "plain copy", "aria-label": `copy ${what} ${text}`, on: { click } },
    `copy ${what}`,
  );
}
function cardDetails(pattern) {
  const isAlone = pattern.class_size <= 1;
  const title = isAlone ? "more" : `${pattern.class_size} equivalent subgraphs`;
  const more = make("details", {}, make("summary", {}, title));
  const figure = (picture, text) => make("figure", {}, drawing(picture, text), make("figcaption", {}, text));
  const members = [
    ...pattern.minimal.map((p) => figure(p, "also minimal")),
    ...pattern.maximal.map((p) => figure(p, "maximal")),
  ];
  if (!isAlone) {
    const text = `These subgraphs occur in the same ${R.fitted_on}; one of the smallest represents them.`;
    more.append(make("p", { class: "soft" }, text));
  }
  if (members.length) more.append(make("div", { class: "members" }, ...members));
  if (pattern.words !== pattern.text) more.append(make("p", {}, pattern.words));
  if (pattern.smarts) more.append(make("p", { class: "name" }, `SMARTS ${pattern.smarts}`));
  return more;
}
function card(at, rank, largest) {
  const index = entry().patterns[at];
  const pattern = R.patterns[index];
  const support = make("span", {}, `in ${pattern.support} ${R.fitted_on}`);
  const copies = [
    copyButton(pattern.text, "name"),
    pattern.smarts ? copyButton(pattern.smarts, "SMARTS") : null,
  ];
  const examples = examplesOf(at, index).map((one) => example(one, index));
  return make(
    "article",
    { class: "card", "data-pattern": index, "aria-label": pattern.words },
    make(
      "div",
      { class: "own" },
      make("div", { class: "rank" }, make("b", {}, `#${rank + 1}`), support),
      make("div", { class: "pic" }, drawing(pattern.picture, pattern.words)),
      make("div", { class: "name", title: pattern.words }, pattern.text),
      make("div", { class: "copies" }, ...copies),
    ),
    make("div", { class: "numbers" }, cardFacts(at, pattern, largest), classCounts(pattern)),
    make("div", { class: "molecules" }, ...examples),
    make("div", { class: "more" }, stepPlot(at), cardDetails(pattern)),
  );
}
// What the change by permuting is about: outputs of the model itself.
function permutationSentence() {
  if (!entry().permutation) return "";
  const fitted = R.graphs.some((graph) => graph.is_fitted_on)
    ? " (a fitted figure: the model was fitted on some of them)"
    : "";
  return (
    ` ${metricName(R.permutation_metric)} if permuted: the change of this metric, for the model's own outputs, when ` +
    `the subgraph is shuffled among the graphs of this page${fitted}.`
  );
}
// Forests of other sizes than the selected one are smaller.
function fewerTrees() {
  const most = R.entries[R.chosen].importance_trees;
  return entry().importance_trees < most ? ` (${most} at the selected size)` : "";
}
// Of many graphs, importances are those of a sample.
function sampleSentence() {
  const count = entry().importance_graphs;
  return count < R.total ? ` Both importances use ${count} of ${R.total} graphs, evenly spaced.` : "";
}
// What the numbers of the cards mean.
function effectSentence() {
  const unit = isClassification() ? "" : ", in the units of the target";
  return (
    `Effect: the mean change of the ${outputName()} due to the subgraph in graphs that contain it, compared with ` +
    `those that do not${unit} (Shapley values, ${entry().effects_of}), with a 95 % bootstrap interval over ` +
    `these graphs, and the share of the graphs with the subgraph in which the change is positive. ` +
    `Effect of more: nearly all graphs have the subgraph, so those with more of it than average are compared with ` +
    `the others. ` +
    `Importance: that of the subgraph in a random forest of ${entry().importance_trees} trees that imitates the ` +
    `model` +
    `${fewerTrees()}.${permutationSentence()}${sampleSentence()}`
  );
}
function galleryNotes() {
  const notes = entry().pairs_text.map((text) =>
    make("p", { class: "pair" }, withSigns(`Together: the ${text}.`)),
  );
  if (entry().shares_text) notes.push(note(`Predictions come ${entry().shares_text}.`));
  const ring = ringNote(entry().patterns);
  const reading = make("details", {}, make("summary", {}, "What the numbers mean"), note(effectSentence()));
  return ring ? [...notes, note(ring.trim()), reading] : [...notes, reading];
}
function showGallery() {
  const [key, largest, names] = [sortKey(), largestEffect(), task().classes];
  const order = entry()
    .patterns.map((_, at) => at)
    .sort((a, b) => key[b] - key[a] || a - b);
  const shown = state.every ? order : order.slice(0, CARDS);
  const cards = shown.map((at, rank) => card(at, rank, largest));
  fill("gallery-note", ...galleryNotes());
  fill("gallery", ...(names.length ? [classKeys(names)] : []), make("div", { class: "cards" }, ...cards));
  if (shown.length === order.length) return;
  const all = () => {
    state.every = true;
    showGallery();
  };
  const button = make(
    "button",
    { class: "plain", id: "every", on: { click: all } },
    `show all ${order.length}`,
  );
  $("gallery").append(make("p", {}, button));
}
function showLegend() {
  const dot = (style) => {
    const svg = shape("svg", { viewBox: "0 0 20 20", class: "drawing", "aria-hidden": "true" });
    svg.append(shape("path", { d: "M10 10h0", class: `o ${style}` }));
    return svg;
  };
  const labels = R.legend.map(([name, style]) => make("span", {}, dot(style), name));
  const legend = labels.length ? [make("div", { class: "legend" }, "vertex labels:", ...labels)] : [];
  fill("legend", ...legend, ...(R.reading.length ? [note(R.reading.join(" "))] : []));
}
