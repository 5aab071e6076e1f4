/* Gallery of subgraphs ----------------------------------------------------------------------------------------- */
const ORDERS = [["importance", "importance in a random forest"], ["permutation", "permutation importance"], ["weights", "norm of the weights"], ["support", "support"], ["edges", "number of edges"]];
function classKeys(names) {
  return note(...names.map((name, at) => make("span", { class: "key" }, make("i", { class: `k${at % 8}` }), name)));
}
// A bar that is divided by counts.
function countBar(counts, label) {
  const total = counts.reduce((a, b) => a + b, 0) || 1;
  const part = (count, at) => make("i", { class: `k${at % 8}`, style: `width:${(100 * count) / total}%` });
  return make("div", { class: "bars", role: "img", "aria-label": label }, ...counts.map(part));
}
const importances = () => entry().importance[Math.max(0, shownTasks.indexOf(quantity().task))] || entry().weights;
function sortKey() {
  const now = entry();
  if (state.order === "support" || state.order === "edges") return now.patterns.map((p) => R.patterns[p][state.order]);
  return { permutation: now.permutation, weights: now.weights }[state.order] || importances();
}
// One line of a card: a name, a bar and a number.
function meter(name, fraction, text) {
  const bar = make("i", { style: `width:${Math.max(0, Math.min(100, 100 * fraction)).toFixed(1)}%` });
  return [make("span", { class: "k" }, name), make("span", { class: "meter" }, bar), make("span", { class: "v" }, text)];
}
const fact = (name, text) => [make("span", { class: "k two" }, name), make("span", { class: "v" }, text)];
function cardFacts(at, pattern) {
  const [now, importance] = [entry(), importances()];
  const facts = [
    ...meter("importance", importance[at] / Math.max(1e-9, ...importance), percent(importance[at])),
    ...meter("weight", now.weights[at] / Math.max(1e-9, ...now.weights), number(now.weights[at], 2)),
  ];
  if (now.permutation) {
    const isError = ["loss", "rmse", "mae"].includes(R.permutation_metric);
    const change = isError ? now.permutation[at] : -now.permutation[at];
    facts.push(...fact(`${metricName(R.permutation_metric)} if permuted`, signed(change)));
  }
  if (pattern.odds_ratio !== null) {
    facts.push(...fact(`odds ratio for ${R.tasks[0].classes[1]}`, String(Number(pattern.odds_ratio.toPrecision(2)))));
  }
  return make("div", { class: "kv" }, ...facts);
}
// Training graphs with the subgraph, by class of the first task with classes.
function classCounts(pattern) {
  const counts = pattern.by_class[0];
  if (!counts) return null;
  const names = R.tasks.find((one) => one.classes.length).classes;
  const texts = counts.map((count, at) => `${names[at]}: ${count}`);
  return make("div", {}, countBar(counts, texts.join(", ")), make("div", { class: "soft tiny" }, texts.join(" · ")));
}
function cardDetails(pattern, index) {
  const isAlone = pattern.class_size <= 1;
  const more = make("details", {}, make("summary", {}, isAlone ? "more" : `${pattern.class_size} equivalent subgraphs`));
  const figure = (picture, text) => make("figure", {}, drawing(picture, text), make("figcaption", {}, text));
  const members = [...pattern.minimal.map((p) => figure(p, "also minimal")), ...pattern.maximal.map((p) => figure(p, "maximal"))];
  const example = (graph) => make("button", { class: "link", on: { click: () => open(graph, index) } }, R.graphs[graph].id);
  if (!isAlone) more.append(make("p", { class: "soft" }, "These subgraphs occur in the same training graphs; a smallest one represents them."));
  if (members.length) more.append(make("div", { class: "members" }, ...members));
  if (pattern.words !== pattern.text) more.append(make("p", {}, pattern.words));
  if (pattern.smarts) more.append(make("p", { class: "name" }, `SMARTS ${pattern.smarts}`));
  if (pattern.examples.length) more.append(make("p", { class: "examples" }, "in ", ...pattern.examples.map(example)));
  return more;
}
function card(at, rank) {
  const index = entry().patterns[at];
  const pattern = R.patterns[index];
  const head = make("div", { class: "rank" }, make("b", {}, `#${rank + 1}`), make("span", {}, `in ${pattern.support} training graphs`));
  const picture = make("div", { class: "pic" }, drawing(pattern.picture, pattern.words));
  const name = make("div", { class: "name", title: pattern.words }, pattern.text);
  return make("article", { class: "card", "data-pattern": index }, head, picture, name, cardFacts(at, pattern), classCounts(pattern), cardDetails(pattern, index));
}
function showGallery() {
  const key = sortKey();
  const order = entry().patterns.map((_, at) => at).sort((a, b) => key[b] - key[a] || a - b);
  const shown = state.every ? order : order.slice(0, CARDS);
  const names = (R.tasks.find((one) => one.classes.length) || { classes: [] }).classes;
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

