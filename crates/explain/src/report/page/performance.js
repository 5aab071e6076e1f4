/* Performance -------------------------------------------------------------------------------------------------- */
// The sets with metrics: all graphs together only if no set is known.
function metricSets() {
  const known = entry().metrics.filter(([, values]) => Object.keys(values).length);
  return known.length > 1 ? known.filter(([set]) => set !== "all") : known;
}
function leadMetrics() {
  if (R.tasks.every((one) => one.classes.length)) return ["accuracy", "auc"];
  return R.tasks.every((one) => !one.classes.length) ? ["rmse", "r2"] : ["accuracy", "rmse"];
}
// What is not 0 is not shown as 0, and what is not all is not shown as all.
const wholePercent = (part) => (part > 0 && part < 0.005 ? "< 1 %" : part < 1 && part >= 0.995 ? "> 99 %" : `${(100 * part).toFixed(0)} %`);
// The metrics of the test set in large figures, or of what comes nearest to it.
function headline(sets) {
  const figure = (n, k) => make("div", { class: "figure" }, make("div", { class: "n" }, n), make("div", { class: "k" }, k));
  const count = entry().patterns.length;
  const figures = [figure(String(count), count === 1 ? "subgraph" : "subgraphs")];
  const best = sets.find(([set]) => set === "test") || sets.find(([set]) => set === "valid") || sets[0];
  for (const key of best ? leadMetrics().filter((one) => one in best[1]) : []) {
    const text = key === "accuracy" ? percent(best[1][key]) : number(best[1][key]);
    figures.push(figure(text, `${metricName(key)}, ${SETS[best[0]]}`));
  }
  if (entry().shares.length > 1) {
    // Shares of the predictions stand beside the number of subgraphs, so that this number is not taken for more than it is.
    const parts = entry().shares.map(([name, part]) => figure(wholePercent(part), `of the predictions from ${name === "subgraphs" ? name : `the ${name}`}`));
    figures.splice(1, 0, ...parts);
  }
  return make("div", { class: "figures" }, ...figures, figure(String(R.total), "graphs"));
}
function metricTable(sets) {
  const head = make("tr", {}, header("metric"), ...sets.map(([set]) => header(setName(set), "num")), header("meaning"));
  const shown = R.metric_texts.filter(([key]) => sets.some(([, values]) => key in values));
  const rows = shown.map(([key, name, meaning]) => {
    const cells = sets.map(([, values]) => make("td", { class: "num", "data-metric": key }, number(values[key])));
    const first = make("th", { scope: "row" }, name, make("small", { class: "phone" }, meaning));
    return make("tr", {}, first, ...cells, make("td", { class: "soft" }, meaning));
  });
  return make("div", { class: "scroll" }, make("table", { id: "metric-table" }, make("thead", {}, head), make("tbody", {}, ...rows)));
}
function showMetrics() {
  const sets = metricSets();
  const children = [headline(sets)];
  if (R.side_input) {
    const shares = entry().shares_text ? ` What it predicts comes ${entry().shares_text} (shares of Shapley values, ${entry().effects_of}).` : "";
    children.push(note(`Besides the subgraphs, the model reads the whole graph (${R.side_input}).${shares} The attribution of that input is shown with every graph; surrogate trees and importances are about the subgraphs alone.`));
  }
  if (R.tasks.length > 1 && sets.length) children.push(note(`Metrics are means over the ${R.tasks.length} targets.`));
  if (sets.length) children.push(metricTable(sets));
  else children.push(note("The data set has no targets, so there are predictions and attributions, but no metrics."));
  fill("metrics", ...children);
}

/* The path ----------------------------------------------------------------------------------------------------- */
const setColour = (set) => `var(--${set === "all" ? "test" : set})`;
// The selection metric of each set at every size. All graphs together only if no set is known.
function pathLines() {
  const metric = (one, set) => (one.metrics.find(([known]) => known === set) || [0, {}])[1][R.metric];
  const isAlone = R.entries.every((one) => one.metrics.filter(([, m]) => Object.keys(m).length).length < 2);
  const lines = ["train", "valid", "test", "all"].map((set) => [set, R.entries.map((one) => metric(one, set))]);
  return lines.filter(([set, values]) => values.some((v) => v !== undefined) && (set !== "all" || isAlone));
}
function pathChart(lines) {
  const values = lines.flatMap(([, list]) => list).filter((v) => v !== undefined);
  const margin = (Math.max(...values) - Math.min(...values)) * 0.08 || 0.05;
  const y = [Math.min(...values) - margin, Math.max(...values) + margin];
  const x = [-0.3, R.entries.length - 0.7];
  const wide = Math.max(340, Math.min(1060, $("path-chart").clientWidth || 900));
  const name = metricName(R.metric);
  return plot({ wide, high: 270, x, y, xName: "number of subgraphs", yName: name, xTicks: sizeTicks(), label: `${name} against the number of subgraphs` });
}
const setName = (set) => (set === "train" ? "training (fitted)" : SETS[set]);
function addPathLine(chart, [set, list]) {
  const known = list.map((v, at) => [at, v]).filter(([, v]) => v !== undefined);
  chart.svg.append(curve(chart, known, setColour(set)));
  for (const [at, v] of known) {
    chart.svg.append(shape("circle", { cx: chart.px(at), cy: chart.py(v), r: at === state.entry ? 5 : 3.2, fill: setColour(set) }));
  }
}
// An invisible column over each size that chooses it.
function addPathTarget({ svg, px, box }, lines, one, at) {
  const step = (box.right - box.left) / R.entries.length;
  const target = shape("rect", { class: "pt", x: px(at) - step / 2, y: box.top, width: step, height: box.bottom - box.top + 24, fill: "transparent" });
  const metrics = lines.map(([set, list]) => `${SETS[set]} ${number(list[at])}`).join(", ");
  target.append(shape("title", {}, `${subgraphs(one.patterns.length)}: ${metrics}`));
  target.addEventListener("click", () => choose(at));
  svg.append(target);
}
function showPath() {
  $("path-note").textContent = "The model file holds one model per size. Choose a size here or with the slider above; the whole page shows that model.";
  const lines = pathLines();
  if (!lines.length) { fill("path-chart", sizeButtons()); return; }
  const chart = pathChart(lines);
  const d = `M${chart.px(state.entry)} ${chart.box.top}V${chart.box.bottom}`;
  chart.svg.append(shape("path", { d, stroke: "var(--accent)", "stroke-width": 18, "stroke-opacity": 0.14 }));
  for (const line of lines) addPathLine(chart, line);
  R.entries.forEach((one, at) => addPathTarget(chart, lines, one, at));
  const key = ([set]) => make("span", { class: "key" }, make("i", { style: `background:${setColour(set)}` }), setName(set));
  const chosen = make("span", {}, `selected on the validation set: ${R.entries[R.chosen].patterns.length}`);
  fill("path-chart", chart.svg, note(...lines.map(key), chosen));
}
function sizeButtons() {
  const button = (one, at) => make("button", { class: "plain", on: { click: () => choose(at) } }, String(one.patterns.length));
  return make("div", { class: "tools" }, ...R.entries.map(button));
}

