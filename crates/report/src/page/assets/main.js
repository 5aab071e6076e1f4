/* Data and settings -------------------------------------------------------------------------------------------- */
function classBalance([name, counts]) {
  const total = counts.reduce((sum, [, count]) => sum + count, 0) || 1;
  const bar = countBar(
    counts.map(([, count]) => count),
    "class balance",
  );
  const keys = classKeys(counts.map(([word, count]) => `${word}: ${count} (${percent(count / total)})`));
  return make("div", { class: "balance" }, make("h3", {}, name), bar, keys);
}
function showData() {
  fill("warnings", ...R.warnings.map((text) => make("p", { class: "warn" }, text)));
  const rows = R.facts.map(([name, text]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, text)),
  );
  fill(
    "facts",
    make("div", scrolling, make("table", {}, make("tbody", {}, ...rows))),
    ...R.class_counts.map(classBalance),
  );
  const content = (name, text) => (name === "command" ? make("code", {}, text) : text);
  const setting = ([name, text]) => [make("dt", {}, name), make("dd", {}, content(name, text))];
  fill("settings-list", ...R.settings.filter(([, text]) => text).flatMap(setting));
}

/* The whole page ----------------------------------------------------------------------------------------------- */
function showAll() {
  showTarget();
  showMetrics();
  showGallery();
  showSwarm();
  showPath();
  showTrees();
  showCharts();
  showTable();
  showDetail();
}
function choose(at) {
  state.entry = at;
  state.marked = null;
  $("size").value = String(at);
  showSize();
  showAll();
  $("live").textContent = `model with ${subgraphs(entry().patterns.length)}`;
}
function showSize() {
  const count = entry().patterns.length;
  $("size-out").textContent = String(count) + (state.entry === R.chosen ? " (selected)" : "");
  $("size").setAttribute("aria-valuetext", subgraphs(count));
}
// What went wrong is said where everybody sees it.
function showFault({ message }) {
  const words = `Part of this page could not be shown, and the rest may be wrong: ${message}.`;
  document.querySelector("main").prepend(make("p", { class: "warn", role: "alert" }, words));
}
function start() {
  window.addEventListener("error", showFault);
  $("size").max = String(R.entries.length - 1);
  $("size").value = String(state.entry);
  $("size").addEventListener("input", () => choose(Number($("size").value)));
  const orders = ORDERS.filter(([key]) => key !== "permutation" || R.entries.every((one) => one.permutation));
  $("gallery-sort").append(...orders.map(([value, text]) => make("option", { value }, text)));
  $("gallery-sort").addEventListener("change", (event) => {
    state.order = event.target.value;
    showGallery();
  });
  let timer = 0;
  window.addEventListener("resize", () => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      showPath();
      showSwarm();
    }, 150);
  });
  showLegend();
  showFilters();
  showData();
  showSize();
  state.graph = Math.max(
    0,
    R.graphs.findIndex((graph) => graph.group === "unseen"),
  );
  showAll();
}
start();
