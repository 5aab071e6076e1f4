/* Errors ------------------------------------------------------------------------------------------------------- */
// Only predictions of models that had not seen the graph are judged, each group under its name. Counts are the
// program's, of all graphs of the data.
function confusion(counts) {
  const names = task().classes;
  const cell = (count, total, isRight) => {
    const strength = Math.round((40 * count) / total);
    const colour = `color-mix(in srgb,var(--${isRight ? "good" : "bad"}) ${strength}%,var(--bg))`;
    return make("td", { style: `background:${colour}` }, String(count));
  };
  const body = counts.map((line, at) => {
    const total = line.reduce((a, b) => a + b, 0) || 1;
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, names[at]),
      ...line.map((count, k) => cell(count, total, at === k)),
    );
  });
  const head = make("tr", {}, make("td", {}), ...names.map((name) => header(name)));
  const table = make("table", { class: "matrix" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make(
    "div",
    {},
    make("h3", {}, "Confusion matrix"),
    make("div", scrolling, table),
    note("Rows are true classes, columns are predicted classes."),
  );
}
function calibration(bins) {
  const chart = plot({
    x: [0, 1],
    y: [0, 1],
    xName: "predicted probability",
    yName: "observed frequency",
    label: "calibration",
  });
  const most = Math.max(...bins.map(([n]) => n), 1);
  chart.svg.append(dashed(chart, [0, 0], [1, 1]));
  for (const [n, p, hit] of bins) {
    const dot = shape("circle", {
      cx: chart.px(p),
      cy: chart.py(hit),
      r: 3 + 8 * Math.sqrt(n / most),
      fill: "var(--accent)",
      "fill-opacity": 0.75,
    });
    dot.append(
      shape("title", {}, `${n} predictions: mean probability ${percent(p)}, observed ${percent(hit)}`),
    );
    chart.svg.append(dot);
  }
  const of = task().classes.length === 2 ? ` of ${task().classes[1]}` : "";
  return make(
    "div",
    {},
    make("h3", {}, `Calibration of the probability${of}`),
    chart.svg,
    note("Calibrated probabilities lie on the dashed line. Larger dots stand for more predictions."),
  );
}
function residualDot(chart, y, [t, p, row]) {
  const dot = shape("circle", {
    cx: chart.px(t).toFixed(1),
    cy: chart.py(y).toFixed(1),
    r: 3.2,
    fill: "var(--accent)",
    "fill-opacity": 0.55,
    class: "pt",
  });
  dot.append(shape("title", {}, `${R.graphs[row].id}: true ${short(t)}, predicted ${short(p)}`));
  dot.addEventListener("click", () => open(row, null));
  return dot;
}
function residuals(rows) {
  const triples = rows.map((row) => [truth(row), predicted(row), row]);
  const all = triples.flatMap(([t, p]) => [t, p]);
  const x = [Math.min(...all), Math.max(...all)];
  const reach = Math.max(...triples.map(([t, p]) => Math.abs(p - t)), 1e-9);
  const xName = `true ${task().name}`;
  const scatter = plot({ x, y: x, xName, yName: "predicted", label: "predicted against true" });
  const rest = plot({ x, y: [-reach, reach], xName, yName: "predicted − true", label: "residuals" });
  scatter.svg.append(dashed(scatter, [x[0], x[0]], [x[1], x[1]]));
  rest.svg.append(dashed(rest, [x[0], 0], [x[1], 0]));
  for (const triple of triples) {
    scatter.svg.append(residualDot(scatter, triple[1], triple));
    rest.svg.append(residualDot(rest, triple[1] - triple[0], triple));
  }
  return [
    make("div", {}, make("h3", {}, "Predicted against true"), scatter.svg),
    make("div", {}, make("h3", {}, "Residuals"), rest.svg),
  ];
}
// The metrics of the explained target in one group, where there are several targets.
function targetMetrics(key) {
  const figures = figuresOf(key);
  if (R.tasks.length < 2 || !figures) return null;
  const [, metrics] = figures.by_task[quantity().task];
  const known = R.metric_texts
    .filter(([one]) => one in metrics)
    .map(([one, name]) => `${name} ${number(metrics[one])}`);
  return note(`${task().name}: ${known.join(", ")}.`);
}
// The charts of one group of graphs; nothing if none of them has a target.
function groupCharts({ key, name, words }) {
  const title = (count, more) =>
    make("h3", { class: "group" }, `${name[0].toUpperCase()}${name.slice(1)}: ${graphs(count)}${more}`);
  const block = (head, parts) =>
    make(
      "div",
      { "data-group": key },
      head,
      note(`${words[0].toUpperCase()}${words.slice(1)}.`),
      targetMetrics(key),
      make("div", { class: "charts" }, ...parts),
    );
  if (isClassification()) {
    const found = entry().diagnoses[shownTasks.indexOf(quantity().task)].find((one) => one.key === key);
    return found
      ? block(title(found.graphs, ""), [confusion(found.confusion), calibration(found.bins)])
      : null;
  }
  const rows = R.graphs.map((_, row) => row).filter((row) => R.graphs[row].group === key && isJudged(row));
  const more = R.graphs.length < R.total ? " (those shown one by one)" : "";
  return rows.length ? block(title(rows.length, more), residuals(rows)) : null;
}
function showCharts() {
  const blocks = R.groups
    .filter(({ key }) => key !== "fitted")
    .map(groupCharts)
    .filter((block) => block !== null);
  const { graphs: count, words } = group("fitted");
  if (count) blocks.push(note(`${graphs(count)} more: ${words}.`));
  if (!hasTruth()) blocks.push(note("The data set has no targets to compare with."));
  const target = R.tasks.length > 1 ? [note(`Target ${task().name}.`)] : [];
  fill("charts", ...target, ...blocks);
}
