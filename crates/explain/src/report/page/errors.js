/* Errors ------------------------------------------------------------------------------------------------------- */
// The graphs whose errors are shown: the test set, else the validation set, else all; with a name for them, and whether the
// model was fitted on them.
function judged() {
  const rows = R.graphs.map((_, row) => row).filter((row) => truth(row) !== null);
  for (const set of ["test", "valid"]) {
    const own = rows.filter((row) => R.graphs[row].part === set);
    const isFitted = set === "valid" && R.is_refitted;
    const refit = isFitted ? ", on which the model was refitted: these predictions are fitted, and look better than those for new graphs; the metrics above are those before the refit" : "";
    if (own.length) return [own, `the ${SETS[set]} set${refit}`, isFitted];
  }
  const hasTraining = rows.some((row) => R.graphs[row].part === "train");
  return [rows, `all graphs shown${hasTraining ? ", on which the model was fitted: these predictions look better than those for new graphs" : ""}`, hasTraining];
}
const fittedWord = (isFitted) => (isFitted ? " (fitted)" : "");
function confusion(rows, isFitted) {
  const names = task().classes;
  const counts = names.map(() => names.map(() => 0));
  for (const row of rows) counts[truth(row)][predicted(row)] += 1;
  const cell = (count, total, isRight) => {
    const colour = `color-mix(in srgb,var(--${isRight ? "good" : "bad"}) ${Math.round((60 * count) / total)}%,var(--bg))`;
    return make("td", { style: `background:${colour}` }, String(count));
  };
  const body = counts.map((line, at) => {
    const total = line.reduce((a, b) => a + b, 0) || 1;
    return make("tr", {}, make("th", { scope: "row" }, names[at]), ...line.map((count, k) => cell(count, total, at === k)));
  });
  const head = make("tr", {}, make("td", {}), ...names.map((name) => header(name)));
  const table = make("table", { class: "matrix", id: "confusion" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", {}, make("h3", {}, `Confusion matrix${fittedWord(isFitted)}`), make("div", { class: "scroll" }, table), note("Rows are true classes, columns predicted ones."));
}
// Ten bins of predicted probabilities, with their sums and how many were true.
function calibrationBins(rows) {
  const bins = Array.from({ length: 10 }, () => ({ n: 0, p: 0, hit: 0 }));
  for (const row of rows) {
    const all = probabilities(row);
    const pairs = all.length === 2 ? [[all[1], truth(row) === 1]] : all.map((p, k) => [p, truth(row) === k]);
    for (const [p, hit] of pairs) {
      const bin = bins[Math.min(9, Math.floor(10 * p))];
      bin.n += 1; bin.p += p; bin.hit += hit ? 1 : 0;
    }
  }
  return bins.filter((bin) => bin.n);
}
function calibration(rows, isFitted) {
  const bins = calibrationBins(rows);
  const chart = plot({ x: [0, 1], y: [0, 1], xName: "predicted probability", yName: "observed frequency", label: "calibration" });
  const most = Math.max(...bins.map((bin) => bin.n), 1);
  chart.svg.append(dashed(chart, [0, 0], [1, 1]));
  for (const { n, p, hit } of bins) {
    const dot = shape("circle", { cx: chart.px(p / n), cy: chart.py(hit / n), r: 3 + 8 * Math.sqrt(n / most), fill: "var(--accent)", "fill-opacity": 0.75 });
    dot.append(shape("title", {}, `${n} predictions: mean probability ${percent(p / n)}, observed ${percent(hit / n)}`));
    chart.svg.append(dot);
  }
  const of = task().classes.length === 2 ? ` of ${task().classes[1]}` : "";
  return make("div", {}, make("h3", {}, `Calibration of the probability${of}${fittedWord(isFitted)}`), chart.svg, note("Calibrated probabilities are on the dashed line. Larger dots stand for more predictions."));
}
function residualDot(chart, y, [t, p, row]) {
  const dot = shape("circle", { cx: chart.px(t).toFixed(1), cy: chart.py(y).toFixed(1), r: 3.2, fill: "var(--accent)", "fill-opacity": 0.55, class: "pt" });
  dot.append(shape("title", {}, `${R.graphs[row].id}: true ${short(t)}, predicted ${short(p)}`));
  dot.addEventListener("click", () => open(row, null));
  return dot;
}
function residuals(rows, isFitted) {
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
  return [make("div", {}, make("h3", {}, `Predicted against true${fittedWord(isFitted)}`), scatter.svg), make("div", {}, make("h3", {}, `Residuals${fittedWord(isFitted)}`), rest.svg)];
}
function showCharts() {
  const [rows, where, isFitted] = judged();
  if (!rows.length) { fill("charts", note("The data set has no targets to compare with.")); return; }
  const parts = isClassification() ? [confusion(rows, isFitted), calibration(rows, isFitted)] : residuals(rows, isFitted);
  const target = R.tasks.length > 1 ? `, target ${task().name}` : "";
  fill("charts", note(`${graphs(rows.length)}: ${where}${target}.`), make("div", { class: "charts" }, ...parts));
}

