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
  const key = ([set]) => make("span", { class: "key" }, make("i", { style: `background:${setColour(set)}` }), SETS[set]);
  const chosen = make("span", {}, `selected on the validation set: ${R.entries[R.chosen].patterns.length}`);
  fill("path-chart", chart.svg, note(...lines.map(key), chosen));
}
function sizeButtons() {
  const button = (one, at) => make("button", { class: "plain", on: { click: () => choose(at) } }, String(one.patterns.length));
  return make("div", { class: "tools" }, ...R.entries.map(button));
}

