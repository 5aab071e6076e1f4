/* Gallery of subgraphs ----------------------------------------------------------------------------------------- */
const ORDERS = [["effect", "size of the effect"], ["importance", "importance in a random forest"], ["permutation", "permutation importance"], ["support", "support"], ["edges", "number of edges"]];
function classKeys(names) {
  return note(...names.map((name, at) => make("span", { class: "key" }, make("i", { class: `k${at % 8}` }), name)));
}
// A bar that is divided by counts.
function countBar(counts, label) {
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  const part = (count, at) => make("i", { class: `k${at % 8}`, style: `width:${(100 * count) / total}%` });
  return make("div", { class: "bars", role: "img", "aria-label": label }, ...counts.map(part));
}
const importances = () => entry().importance[Math.max(0, shownTasks.indexOf(quantity().task))] || entry().patterns.map(() => 0);
const effect = (at) => entry().effects[at][state.quantity];
function sortKey() {
  const now = entry();
  if (state.order === "support" || state.order === "edges") return now.patterns.map((p) => R.patterns[p][state.order]);
  if (state.order === "effect") return now.patterns.map((_, at) => Math.abs(effect(at) || 0));
  return { permutation: now.permutation }[state.order] || importances();
}
// One line of a card: a name, a bar and a number.
function meter(name, fraction, text) {
  const bar = make("i", { style: `width:${Math.max(0, Math.min(100, 100 * fraction)).toFixed(1)}%` });
  return [make("span", { class: "k" }, name), make("span", { class: "meter" }, bar), make("span", { class: "v" }, text)];
}
const fact = (name, text) => [make("span", { class: "k two" }, name), make("span", { class: "v" }, text)];
// The effect of a subgraph on the explained output: a bar to the side of its sign, the number, and its interval.
function effectFacts(at) {
  const value = effect(at);
  if (isMissing(value)) return fact("effect", "unknown: in no graph here");
  const largest = Math.max(1e-9, ...entry().patterns.map((_, k) => Math.abs(effect(k) || 0)));
  const ends = entry().intervals[at][state.quantity];
  const title = `mean change of the ${outputName()} by the subgraph`;
  const line = [make("span", { class: "k", title }, "effect"), attributionBar(value, largest), make("span", { class: "v" }, make("b", {}, signedShort(value)))];
  const raises = make("span", { class: "whole" }, `positive in ${wholePercent(entry().raises[at][state.quantity])} of these graphs`);
  const interval = ends ? [make("span", { class: "whole" }, `95 % interval ${signedShort(ends[0])} … ${signedShort(ends[1])}`)] : [];
  return [...line, ...interval, raises];
}
function cardFacts(at, pattern) {
  const [now, importance] = [entry(), importances()];
  const facts = [
    ...effectFacts(at),
    ...meter("importance", importance[at] / Math.max(1e-9, ...importance), percent(importance[at])),
  ];
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
// The number of the explained task among those with classes.
const classTask = () => R.tasks.slice(0, quantity().task).filter((one) => one.classes.length).length;
// Graphs of the fit with the subgraph, by class of the explained task.
function classCounts(pattern) {
  const counts = isClassification() ? pattern.by_class[classTask()] : null;
  if (!counts) return null;
  const names = task().classes;
  const texts = counts.map((count, at) => `${names[at]}: ${count}`);
  return make("div", {}, countBar(counts, texts.join(", ")), make("div", { class: "soft tiny" }, texts.join(" · ")));
}
function cardDetails(pattern, index) {
  const isAlone = pattern.class_size <= 1;
  const more = make("details", {}, make("summary", {}, isAlone ? "more" : `${pattern.class_size} equivalent subgraphs`));
  const figure = (picture, text) => make("figure", {}, drawing(picture, text), make("figcaption", {}, text));
  const members = [...pattern.minimal.map((p) => figure(p, "also minimal")), ...pattern.maximal.map((p) => figure(p, "maximal"))];
  const example = (graph) => make("button", { class: "link", on: { click: () => open(graph, index) } }, R.graphs[graph].id);
  if (!isAlone) more.append(make("p", { class: "soft" }, `These subgraphs occur in the same ${R.fitted_on}; a smallest one represents them.`));
  if (members.length) more.append(make("div", { class: "members" }, ...members));
  if (pattern.words !== pattern.text) more.append(make("p", {}, pattern.words));
  if (pattern.smarts) more.append(make("p", { class: "name" }, `SMARTS ${pattern.smarts}`));
  if (pattern.examples.length) more.append(make("p", { class: "examples" }, "in ", ...pattern.examples.map(example)));
  return more;
}
function card(at, rank) {
  const index = entry().patterns[at];
  const pattern = R.patterns[index];
  const head = make("div", { class: "rank" }, make("b", {}, `#${rank + 1}`), make("span", {}, `in ${pattern.support} ${R.fitted_on}`));
  const picture = make("div", { class: "pic" }, drawing(pattern.picture, pattern.words));
  const name = make("div", { class: "name", title: pattern.words }, pattern.text);
  return make("article", { class: "card", "data-pattern": index }, head, picture, name, cardFacts(at, pattern), classCounts(pattern), cardDetails(pattern, index));
}
// What the change by permuting is about: outputs of the model itself.
function permutationSentence() {
  if (!entry().permutation) return "";
  const isFitted = R.graphs.some((graph) => graph.is_fitted_on);
  return ` ${metricName(R.permutation_metric)} if permuted: by how much that metric of the model's own outputs changes if the subgraph is dealt to the graphs of this page at random${isFitted ? " (a change of a fitted figure, since the model was fitted on such graphs)" : ""}.`;
}
// What the numbers of the cards mean.
function effectSentence() {
  const unit = isClassification() ? "" : ", in the units of the target";
  const first = `Effect: the mean change of the ${outputName()} by the subgraph in the graphs that contain it, compared with those that do not${unit} (Shapley values of the model that predicts, ${entry().effects_of}), with a 95 % bootstrap interval over these graphs, and the part of the graphs with it in which the change is positive.`;
  return `${first} Importance: of the subgraph in a random forest that imitates the model.${permutationSentence()}${entry().shares_text ? ` What the model predicts comes ${entry().shares_text}.` : ""}${entry().pairs_text.map((text) => ` Together: the ${text}.`).join("")}`;
}
function showGallery() {
  const key = sortKey();
  const order = entry().patterns.map((_, at) => at).sort((a, b) => key[b] - key[a] || a - b);
  const shown = state.every ? order : order.slice(0, CARDS);
  const names = task().classes;
  fill("gallery-note", note(effectSentence()));
  fill("gallery", ...(names.length ? [classKeys(names)] : []), make("div", { class: "cards" }, ...shown.map(card)));
  if (shown.length === order.length) return;
  const all = () => { state.every = true; showGallery(); };
  $("gallery").append(make("p", {}, make("button", { class: "plain", id: "every", on: { click: all } }, `show all ${order.length}`)));
}
function showLegend() {
  const dot = (style) => {
    const svg = shape("svg", { viewBox: "0 0 20 20", class: "drawing", "aria-hidden": "true" });
    svg.append(shape("path", { d: "M10 10h0", class: `o ${style}` }));
    return svg;
  };
  const labels = R.legend.map(([name, style]) => make("span", {}, dot(style), name));
  fill("legend", ...(labels.length ? [make("div", { class: "legend" }, ...labels)] : []), ...(R.reading.length ? [note(R.reading.join(" "))] : []));
}

