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
  return make("div", { class: "figures" }, ...figures, figure(String(R.total), "graphs"));
}
function metricTable(sets) {
  const head = make("tr", {}, header("metric"), ...sets.map(([set]) => header(SETS[set], "num")), header("meaning"));
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
    children.push(note(`Besides the subgraphs the model reads a ${R.side_input} of each graph. Its attribution is shown with every graph; surrogate trees and importances are about the subgraphs alone.`));
  }
  if (sets.length) children.push(metricTable(sets));
  else children.push(note("The data set has no targets, so there are predictions and attributions, but no metrics."));
  fill("metrics", ...children);
}

