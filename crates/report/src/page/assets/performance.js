/* Performance -------------------------------------------------------------------------------------------------- */
const isSelected = () => state.entry === R.chosen;
const figuresOf = (key, at = state.entry) => R.entries[at].figures.find((one) => one.key === key);
function leadMetrics() {
  if (R.tasks.every((one) => one.classes.length)) return ["accuracy", "auc"];
  return R.tasks.every((one) => !one.classes.length) ? ["rmse", "r2"] : ["accuracy", "rmse"];
}
// What is not 0 is not shown as 0, and what is not all is not shown as all.
const wholePercent = (part) =>
  part > 0 && part < 0.005 ? "< 1 %" : part < 1 && part >= 0.995 ? "> 99 %" : `${(100 * part).toFixed(0)} %`;
const metricText = (key, value) => (key === "accuracy" ? percent(value) : number(value));
// Figures of several targets are means over all of them, also where one of them is explained.
const overTargets = () => (R.tasks.length > 1 ? `, mean over ${R.tasks.length} targets` : "");
// What to expect of the selected model for new graphs, with its interval; of other sizes what held-out graphs say. Then
// graphs that the model has never seen, if the data have any.
function leadFigures(figure) {
  const list = [];
  const estimate = isSelected() && R.estimate ? R.estimate.metrics : {};
  const here = figuresOf("out_of_fold");
  const held = here
    ? { metrics: here.metrics, where: graphs(here.graphs) }
    : { metrics: entry().held_out, where: "graphs used in training" };
  for (const key of leadMetrics()) {
    if (key in estimate) {
      const [value, low, high] = estimate[key];
      const from = metricText(key, low).replace(" %", "");
      const to = metricText(key, high).replace(" ", "\u00a0");
      list.push(
        figure(
          metricText(key, value),
          `${metricName(key)} expected for new graphs${overTargets()}; 95 % interval ${from} to ${to}`,
        ),
      );
    } else if (key in held.metrics)
      list.push(
        figure(metricText(key, held.metrics[key]), `${metricName(key)}${overTargets()}, ${R.held_out}, ${held.where}`),
      );
  }
  const unseen = figuresOf("unseen");
  for (const key of unseen ? leadMetrics().filter((one) => one in unseen.metrics) : []) {
    list.push(
      figure(
        metricText(key, unseen.metrics[key]),
        `${metricName(key)}${overTargets()}, ${graphs(unseen.graphs)} never seen by the model`,
      ),
    );
  }
  return list;
}
function headline() {
  const figure = (n, k) =>
    make("div", { class: "figure" }, make("div", { class: "n" }, n), make("div", { class: "k" }, k));
  const count = entry().patterns.length;
  const figures = [figure(String(count), count === 1 ? "subgraph" : "subgraphs"), ...leadFigures(figure)];
  if (entry().shares.length > 1) {
    // Shares of the predictions stand beside the number of subgraphs: it is not to be taken for more than it is.
    const parts = entry().shares.map(([name, part]) =>
      figure(wholePercent(part), `of the predictions from ${name === "subgraphs" ? name : `the ${name}`}`),
    );
    figures.splice(1, 0, ...parts);
  }
  return make("div", { class: "figures" }, ...figures);
}
// Columns of the table of metrics: key, title and the text of a metric.
function metricColumns() {
  const columns = entry().figures.map(({ key, graphs: count, metrics }) => [
    key,
    `${key === "fitted" ? "fitted" : group(key).name} (${count})`,
    metrics,
    (k) => number(metrics[k]),
  ]);
  if (!isSelected() || !R.estimate) return columns;
  const text = (k) => {
    if (!(k in R.estimate.metrics)) return number(undefined);
    const [value, low, high] = R.estimate.metrics[k];
    return `${number(value)} (${number(low)} to ${number(high)})`;
  };
  return [["estimate", "expected for new graphs", R.estimate.metrics, text], ...columns];
}
function metricTable(columns) {
  const head = make(
    "tr",
    {},
    header("metric"),
    ...columns.map(([key, title]) => make("th", { scope: "col", class: "num", "data-set": key }, title)),
    header("meaning"),
  );
  const shown = R.metric_texts.filter(([key]) => columns.some(([, , values]) => key in values));
  const rows = shown.map(([key, name, meaning]) => {
    const cells = columns.map(([set, , , text]) =>
      make(
        "td",
        { class: set === "fitted" ? "num soft" : "num", "data-metric": key, "data-set": set },
        text(key),
      ),
    );
    const first = make("th", { scope: "row" }, name, make("small", { class: "phone" }, meaning));
    return make("tr", {}, first, ...cells, make("td", { class: "soft" }, meaning));
  });
  return make(
    "div",
    scrolling,
    make("table", { id: "metric-table" }, make("thead", {}, head), make("tbody", {}, ...rows)),
  );
}
// What the columns mean, and what the model knows of the graphs of this page.
function metricNotes() {
  const notes =
    isSelected() && R.estimate ? [note(make("b", {}, "Expected for new graphs: "), R.estimate.words)] : [];
  for (const { name, words, graphs: count } of R.groups) {
    if (count)
      notes.push(
        note(
          make("b", {}, `${name[0].toUpperCase()}${name.slice(1)}: `),
          `${graphs(count)} of this page; ${words}.`,
        ),
      );
  }
  const hasAreas = entry().figures.some(({ key, metrics }) => key === "out_of_fold" && "auc" in metrics);
  if (hasAreas && R.estimate && R.estimate.folds > 1)
    notes.push(
      note(
        "For out-of-fold predictions, ROC AUC compares only graphs of the same fold, because each fold has its own " +
          "model.",
      ),
    );
  if (figuresOf("fitted"))
    notes.push(
      note(
        make("b", {}, "Fitted figures "),
        "are for the graphs that the model was fitted on. They tell how closely it fits these graphs, not how well " +
          "it predicts others; the error charts and the table of predictions leave them out.",
      ),
    );
  return notes;
}
function showMetrics() {
  const columns = metricColumns();
  fill("metrics", headline());
  const children = [];
  if (R.side_inputs.length) {
    const shares = entry().shares_text
      ? ` Predictions come ${entry().shares_text} (shares of Shapley values, ${entry().effects_of}).`
      : "";
    const columns = entry().columns_text[state.quantity];
    const what = R.side_inputs.map((side) => (side.values ? `column ${side.name}` : side.name)).join(", ");
    const text =
      `Besides the subgraphs, the model reads: ${what}.${shares} ${columns || ""} Their attributions are ` +
      "shown with each graph; surrogate trees and importances cover the subgraphs alone.";
    children.push(note(text));
  }
  if (R.tasks.length > 1 && columns.length)
    children.push(note(`Metrics are means over the ${R.tasks.length} targets.`));
  if (columns.length) children.push(metricTable(columns));
  if (!entry().figures.length) {
    const text =
      "The data set has no targets, so there are predictions and attributions, but no metrics.";
    children.push(note(text));
  }
  children.push(make("div", { class: "below" }, ...metricNotes()));
  fill("metric-details", ...children);
}

/* The path ----------------------------------------------------------------------------------------------------- */
const setColour = (set) => `var(--${set === "unseen" ? "test" : "valid"})`;
// The selection metric at every size: of all held-out predictions of the training, which chose the size, and of unseen
// graphs.
function pathLines() {
  const unseen = R.entries.map((_, at) => (figuresOf("unseen", at) || { metrics: {} }).metrics[R.metric]);
  const lines = [
    ["held_out", R.entries.map((one) => one.held_out[R.metric])],
    ["unseen", unseen],
  ];
  return lines.filter(([, values]) => values.some((v) => v !== undefined));
}
function pathChart(lines) {
  const values = lines.flatMap(([, list]) => list).filter((v) => v !== undefined);
  const margin = (Math.max(...values) - Math.min(...values)) * 0.08 || 0.05;
  const y = [Math.min(...values) - margin, Math.max(...values) + margin];
  const x = [-0.3, R.entries.length - 0.7];
  const wide = Math.max(340, Math.min(1060, $("path-chart").clientWidth || 900));
  const name = metricName(R.metric);
  return plot({
    wide,
    high: 270,
    x,
    y,
    xName: "number of subgraphs",
    yName: name,
    xTicks: sizeTicks(),
    label: `${name} against the number of subgraphs`,
  });
}
const setName = (set) =>
  set === "unseen" ? "unseen graphs of this page" : `${R.held_out}, graphs used in training`;
function addPathLine(chart, [set, list]) {
  const known = list.map((v, at) => [at, v]).filter(([, v]) => v !== undefined);
  chart.svg.append(curve(chart, known, setColour(set)));
  for (const [at, v] of known) {
    chart.svg.append(
      shape("circle", {
        cx: chart.px(at),
        cy: chart.py(v),
        r: at === state.entry ? 5 : 3.2,
        fill: setColour(set),
      }),
    );
  }
}
// An invisible column over each size that chooses it.
function addPathTarget({ svg, px, box }, lines, one, at) {
  const step = (box.right - box.left) / R.entries.length;
  const target = shape("rect", {
    class: "pt",
    x: px(at) - step / 2,
    y: box.top,
    width: step,
    height: box.bottom - box.top + 24,
    fill: "transparent",
  });
  const metrics = lines.map(([set, list]) => `${setName(set)} ${number(list[at])}`).join(", ");
  target.append(shape("title", {}, `${subgraphs(one.patterns.length)}: ${metrics}`));
  target.addEventListener("click", () => choose(at));
  svg.append(target);
}
function showPath() {
  $("path-note").textContent =
    "The model file holds one model per size. Choose a size here or with the slider above; the whole page shows that " +
    "model.";
  const lines = pathLines();
  if (!lines.length) {
    fill("path-chart", sizeButtons());
    return;
  }
  const chart = pathChart(lines);
  const d = `M${chart.px(state.entry)} ${chart.box.top}V${chart.box.bottom}`;
  chart.svg.append(shape("path", { d, stroke: "var(--accent)", "stroke-width": 18, "stroke-opacity": 0.14 }));
  for (const line of lines) addPathLine(chart, line);
  R.entries.forEach((one, at) => addPathTarget(chart, lines, one, at));
  const key = ([set]) =>
    make("span", { class: "key" }, make("i", { style: `background:${setColour(set)}` }), setName(set));
  const chosen = make("span", {}, `selected: ${R.entries[R.chosen].patterns.length}`);
  fill("path-chart", chart.svg, note(...lines.map(key), chosen));
}
function sizeButtons() {
  const button = (one, at) =>
    make("button", { class: "plain", on: { click: () => choose(at) } }, String(one.patterns.length));
  return make("div", { class: "tools" }, ...R.entries.map(button));
}
