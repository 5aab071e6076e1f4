/* What the strongest subgraphs do in many graphs --------------------------------------------------------------- */
const MOST_SWARMS = 8;
const DOT = 2.6;
const swarmOf = (at) => entry().swarms[state.quantity].find((one) => one.pattern === at);
const levelsOf = (letters) => [...letters].map((letter) => LETTERS.indexOf(letter));
// Dots of one subgraph: graphs at the same place are stacked around the middle line.
function swarmDots({ scale, values, counts }, reach, wide, high) {
  const [levels, numbers] = [levelsOf(values), levelsOf(counts)];
  const svg = shape("svg", { viewBox: `0 0 ${wide} ${high}`, class: "swarm", "aria-hidden": "true" });
  svg.append(shape("path", { class: "axis", d: `M${wide / 2} 0V${high}` }));
  const place = (level) => (wide / 2) * (1 + ((level / 31.5 - 1) * scale * 0.97) / reach);
  const slot = (level) => Math.round(place(level) / (2 * DOT));
  const sizes = new Map();
  for (const level of levels) sizes.set(slot(level), (sizes.get(slot(level)) || 0) + 1);
  const gap = Math.min(DOT * 1.2, (high - 2 * DOT) / Math.max(1, ...sizes.values()));
  const stacks = new Map();
  levels.forEach((level, at) => {
    const n = stacks.get(slot(level)) || 0;
    stacks.set(slot(level), n + 1);
    const cy = high / 2 + (n % 2 ? 1 : -1) * Math.ceil(n / 2) * gap;
    const style = numbers[at] === 0 ? "none" : numbers[at] === 1 ? "one" : "many";
    const dot = { cx: place(level).toFixed(1), cy: cy.toFixed(1), r: DOT, class: style };
    svg.append(shape("circle", { ...dot, "data-row": explainedRow(at * entry().swarm_stride) }));
  });
  return svg;
}
function swarmRow(swarm, reach, wide) {
  const index = entry().patterns[swarm.pattern];
  const pattern = R.patterns[index];
  const [from, to] = [swarm.steps[0], swarm.steps[swarm.steps.length - 1]];
  const summary = `mean ${signedShort(from[3])} where absent or fewest, ${signedShort(to[3])} where most`;
  return make(
    "li",
    { title: pattern.words, "data-swarm": index },
    make("span", { class: "pic" }, drawing(pattern.picture, `${pattern.words}: ${summary}`)),
    make("span", { class: "code" }, pattern.text),
    swarmDots(swarm, reach, wide, 54),
  );
}
function swarmAxis(reach, wide) {
  const svg = shape("svg", { viewBox: `0 0 ${wide} 34`, class: "swarm chart", "aria-hidden": "true" });
  for (const tick of ticks(-reach, reach, wide < 400 ? 6 : 8)) {
    const x = (wide / 2) * (1 + (0.97 * tick) / reach);
    const anchor = x < 14 ? "start" : x > wide - 14 ? "end" : "middle";
    svg.append(shape("path", { class: "axis", d: `M${x} 0V6` }));
    svg.append(shape("text", { x, y: 22, "text-anchor": anchor }, short(tick)));
  }
  return make("li", { class: "foot" }, make("span"), make("span"), svg);
}
function showSwarm() {
  const list = entry().swarms[state.quantity].slice(0, MOST_SWARMS);
  $("swarm").hidden = !list.length;
  if (!list.length) return;
  const reach = Math.max(1e-9, ...list.map((one) => one.scale));
  const wide = window.innerWidth <= 700 ? 330 : 640;
  const open_ = (event) => {
    const row = event.target.dataset && event.target.dataset.row;
    if (row !== undefined) open(Number(row), null, true);
  };
  const count = list[0].values.length;
  const key = (style, text) => make("span", { class: "key" }, make("i", { class: `dot ${style}` }), text);
  const more = R.feature === "presence" ? [] : [key("many", "counted more than once")];
  const keys = [key("none", "without the subgraph"), key("one", "with it"), ...more];
  fill(
    "swarm-chart",
    note(
      `Each dot is one of ${graphs(count)}: how much the subgraph, or its absence, changes the ${outputName()}. `,
    ),
    note(...keys),
    make(
      "ul",
      { class: "swarms", on: { click: open_ } },
      ...list.map((one) => swarmRow(one, reach, wide)),
      swarmAxis(reach, wide),
    ),
  );
}
// The mean change against the count of a subgraph, as steps.
function stepPlot(at) {
  const swarm = swarmOf(at);
  if (!swarm || R.feature === "presence" || swarm.steps.length < 2) return null;
  const means = swarm.steps.map(([, , , mean]) => mean);
  const y = [Math.min(0, ...means), Math.max(0, ...means)];
  const name = ([from, to]) => (from === to ? String(from) : `${from}–${to}`);
  // About 24 letters fit under a chart.
  const longest = Math.max(...swarm.steps.map((step) => name(step).length));
  const every = Math.ceil((swarm.steps.length * (longest + 1)) / 24);
  const xTicks = swarm.steps.map((step, k) => [k + 0.5, k % every ? "" : name(step)]);
  const labels = swarm.steps.map((step) => `${name(step)}: ${signedShort(step[3])}`);
  const label = `mean change by count: ${labels.join(", ")}`;
  const x = [0, swarm.steps.length];
  const chart = plot({
    wide: 250,
    high: 150,
    x,
    y,
    xName: R.feature === "mni" ? "MNI count" : "copies counted",
    yName: "mean change",
    xTicks,
    label,
  });
  chart.svg.append(dashed(chart, [0, 0], [x[1], 0]));
  const d = means
    .map(
      (mean, k) =>
        `${k ? "V" : `M${chart.px(0)} `}${chart.py(mean).toFixed(1)}H${chart.px(k + 1).toFixed(1)}`,
    )
    .join("");
  chart.svg.append(shape("path", { d, fill: "none", stroke: "var(--accent)", "stroke-width": 2.5 }));
  return chart.svg;
}
