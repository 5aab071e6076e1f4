/* Two models side by side -------------------------------------------------------------------------------------- */
const MOST_OWN = 12; // subgraphs of one model before "show all"
const LETTER = ["A", "B"];
const state = { task: 0, graph: 0, page: 0, only: "", text: "", every: [false, false] };
const task = () => R.tasks[state.task];
const isClasses = () => task().classes.length > 0;
const named = (content) => (isClasses() ? task().classes[content] : number(content));
const modelName = (side) => `${LETTER[side]}: ${R.models[side].name}`;
const patternOf = (side, at) => R.models[side].patterns[at];
const withMinus = (text) => text.replace(/([( ])-(?=\d)/g, "$1−");
const amount = (value) => make("b", { class: value < 0 ? "down" : "up" }, signed(value));

/* The first screen: both models, and the difference between them ------------------------------------------------ */
function verdict() {
  const { metric, values, difference, judged, agreement, classes } = task();
  const [value, low, high] = difference;
  const isBetter = metric === "RMSE" ? value < 0 : value > 0;
  const isSure = low > 0 || high < 0;
  const text = (v) => (metric === "accuracy" ? percent(v) : number(v));
  const who = isSure ? `${LETTER[isBetter ? 1 : 0]} is better` : "No clear difference on these graphs";
  const same = classes.length
    ? `They predict the same class for ${percent(agreement)} of ${graphs(R.total)}.`
    : `Their predictions of ${graphs(R.total)} have a correlation of ${number(agreement, 2)}.`;
  if (!judged) return `No graph has a value of ${task().name} that both models can be judged on. ${same}`;
  return (
    `${who}: ${metric} ${text(values[0])} (A) and ${text(values[1])} (B) on the same ${graphs(judged)}; B minus A ` +
    `${signed(value)}, 95 % interval ${signed(low)} to ${signed(high)}. ${same}`
  );
}
function modelCard(side) {
  const { facts, estimate } = R.models[side];
  const key = { accuracy: "accuracy", RMSE: "rmse" }[task().metric];
  const expected = estimate && estimate.metrics[key];
  const rows = [...facts];
  if (expected && R.tasks.length === 1) {
    const [value, low, high] = expected.map((v) => number(v));
    rows.push([`${task().metric} expected for new graphs`, `${value} (95 % interval ${low} to ${high})`]);
  }
  const list = rows.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]);
  const settings = make("dl", { class: "settings" }, ...list);
  return make("div", { class: "side-card" }, make("h3", {}, modelName(side)), settings);
}
function showHeadline() {
  const counts = R.models.map((model) => subgraphs(model.patterns.length));
  $("h-headline").textContent = `Predict ${task().name}: A from ${counts[0]}, B from ${counts[1]}`;
  const equal = R.shared.filter((one) => one.is_equal).length;
  const equivalent = R.shared.length - equal;
  const also = equivalent ? `, and ${equivalent} more of each occur in the same graphs` : "";
  const both = equal === 1 ? "One subgraph is" : `${equal} subgraphs are`;
  fill(
    "story",
    make("p", { class: "lead" }, verdict()),
    make("p", { class: "lead" }, `${both} in both models${also}.`),
  );
  fill("models", make("div", { class: "sides" }, modelCard(0), modelCard(1)));
}

/* Who is right, and both predictions of each graph ------------------------------------------------------------- */
function casesTable() {
  const { cases, judged } = task();
  if (!cases || !judged) return null;
  const [both, first, second, none] = cases;
  const cell = (count, style) => make("td", { class: style }, `${count} (${percent(count / judged)})`);
  const head = make("tr", {}, make("td", {}), header("B right"), header("B wrong"));
  const row = (name, ...cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells);
  const body = [
    row("A right", cell(both, "num"), cell(first, "num")),
    row("A wrong", cell(second, "num"), cell(none, "num")),
  ];
  const table = make("table", { class: "matrix" }, make("thead", {}, head), make("tbody", {}, ...body));
  return make("div", {}, make("h3", {}, graphs(judged)), make("div", scrolling, table));
}
function dotsChart() {
  const { dots, classes, name } = task();
  const all = dots.flatMap(([, a, b]) => [a, b]);
  const range = classes.length ? [0, 1] : [Math.min(...all), Math.max(...all)];
  const what = classes.length ? `probability of ${classes[classes.length - 1]}` : name;
  const label = `${what} by A and by B`;
  const chart = plot({ wide: 420, high: 380, x: range, y: range, xName: `${what}, A`, yName: `${what}, B`, label });
  chart.svg.append(dashed(chart, [range[0], range[0]], [range[1], range[1]]));
  for (const [row, a, b, truth] of dots) {
    const known = truth === null || !classes.length ? "level" : truth === classes.length - 1 ? "plus" : "minus";
    const attributes = { cx: chart.px(a).toFixed(1), cy: chart.py(b).toFixed(1), r: 3.2, class: `both ${known}` };
    chart.svg.append(shape("circle", { ...attributes, "data-row": row }));
  }
  const last = classes[classes.length - 1];
  const keys = classes.length
    ? note(
        make("span", { class: "key" }, make("i", { class: "dot plus" }), `true ${last}`),
        make(
          "span",
          { class: "key" },
          make("i", { class: "dot minus" }),
          classes.length > 2 ? "another class" : `true ${classes[0]}`,
        ),
      )
    : null;
  return make("div", {}, make("h3", {}, "Both predictions"), chart.svg, keys);
}
function showCases() {
  const parts = [casesTable(), dotsChart()].filter((part) => part);
  fill("cases", make("div", { class: "charts" }, ...parts));
}

/* Subgraphs ---------------------------------------------------------------------------------------------------- */
function effectText(side, at) {
  const effect = patternOf(side, at).effects[state.task];
  if (!effect) return make("span", { class: "soft" }, "no effect known");
  const ends = effect.interval;
  const more = effect.by_amount ? "of more: " : "";
  const interval = ends ? ` (${signed(ends[0])} to ${signed(ends[1])})` : "";
  const output = task().classes.length > 2 ? `, on ${effect.output}` : "";
  return make("span", {}, `effect in ${LETTER[side]} ${more}`, amount(effect.value), interval + output);
}
const effectSize = (side, at) => Math.abs((patternOf(side, at).effects[state.task] || { value: 0 }).value);
function patternItem(side, at, ...lines) {
  const { picture, words, text, support } = patternOf(side, at);
  const count = support === null ? null : make("span", { class: "soft tiny" }, `in ${support} of its training graphs`);
  return make(
    "li",
    { class: "pattern", title: words, "data-pattern": `${LETTER[side]}${at}` },
    make("span", { class: "pic" }, drawing(picture, words)),
    make("span", { class: "about" }, make("code", {}, text), ...lines, count),
  );
}
function showShared() {
  const order = [...R.shared].sort((a, b) => {
    const size = ({ indices }) => Math.max(effectSize(0, indices[0]), effectSize(1, indices[1]));
    return size(b) - size(a);
  });
  const item = ({ indices: [a, b], is_equal: isEqual }) => {
    const other = isEqual
      ? []
      : [make("span", {}, "in the same graphs as ", make("code", {}, patternOf(1, b).text), " of B")];
    return patternItem(0, a, ...other, effectText(0, a), effectText(1, b));
  };
  if (!order.length) fill("shared-list", note("The models share no subgraph."));
  else fill("shared-list", make("ul", { class: "patterns" }, ...order.map(item)));
}
function ownList(side) {
  const shared = new Set(R.shared.map((one) => one.indices[side]));
  const own = R.models[side].patterns.map((_, at) => at).filter((at) => !shared.has(at));
  own.sort((a, b) => effectSize(side, b) - effectSize(side, a) || a - b);
  const shown = state.every[side] ? own : own.slice(0, MOST_OWN);
  const all = () => {
    state.every[side] = true;
    showOwn();
  };
  const rest = own.length - shown.length;
  const button = rest ? make("button", { class: "plain", on: { click: all } }, `show all ${own.length}`) : null;
  return make(
    "div",
    {},
    make("h3", {}, `Only in ${modelName(side)} (${own.length})`),
    make("ul", { class: "patterns" }, ...shown.map((at) => patternItem(side, at, effectText(side, at)))),
    button,
  );
}
function showOwn() {
  fill("own-lists", make("div", { class: "sides" }, ownList(0), ownList(1)));
}

/* Graphs ------------------------------------------------------------------------------------------------------- */
const PAGE = 15;
const truthOf = (graph) => graph.truth[state.task];
const saidBy = (graph, side) => graph.said[side][state.task][0];
const isRight = (graph, side) => truthOf(graph) === saidBy(graph, side);
const KINDS = [
  ["", "all", () => true],
  ["differ", "different classes", (graph) => saidBy(graph, 0) !== saidBy(graph, 1)],
  ["first", "only A right", (graph) => truthOf(graph) !== null && isRight(graph, 0) && !isRight(graph, 1)],
  ["second", "only B right", (graph) => truthOf(graph) !== null && !isRight(graph, 0) && isRight(graph, 1)],
];
function visible() {
  const [, , holds] = KINDS.find(([key]) => key === state.only);
  const text = state.text.toLowerCase();
  return R.graphs.filter((graph) => (!isClasses() || holds(graph)) && graph.id.toLowerCase().includes(text));
}
function saidText(graph, side) {
  const [content, probability] = graph.said[side][state.task];
  const fitted = graph.judged[side] ? "" : " (fitted)";
  return named(content) + (probability === null ? "" : ` (${percent(probability)})`) + fitted;
}
function tableRow(graph) {
  const click = () => open(R.graphs.indexOf(graph));
  const mark = (side) => {
    if (!isClasses() || truthOf(graph) === null || !graph.judged[side]) return "num";
    return isRight(graph, side) ? "num ok right-wrong" : "num no right-wrong";
  };
  const truth = truthOf(graph);
  return make(
    "tr",
    { "aria-current": R.graphs.indexOf(graph) === state.graph ? "true" : null },
    make("td", {}, make("button", { class: "link", on: { click } }, graph.id)),
    make("td", { class: "num" }, truth === null ? "–" : named(truth)),
    make("td", { class: mark(0) }, saidText(graph, 0)),
    make("td", { class: mark(1) }, saidText(graph, 1)),
    make("td", { class: "num" }, number(graph.distance)),
  );
}
function showTable() {
  const rows = visible();
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const [from, to] = [state.page * PAGE, Math.min(rows.length, (state.page + 1) * PAGE)];
  const apart = R.tasks.length > 1 ? `apart (${R.tasks[0].name})` : "apart";
  const titles = ["graph", "true", "A predicts", "B predicts", apart];
  $("table").tHead.replaceChildren(make("tr", {}, ...titles.map((text, at) => header(text, at ? "num" : ""))));
  $("table").tBodies[0].replaceChildren(...rows.slice(from, to).map(tableRow));
  const turn = (by, text, disabled) => {
    const click = () => {
      state.page += by;
      showTable();
    };
    return make("button", { class: "plain", disabled, on: { click } }, text);
  };
  const range = make("span", {}, `${rows.length ? from + 1 : 0}–${to} of ${rows.length}`);
  fill("pager", turn(-1, "previous", state.page === 0), range, turn(1, "next", state.page >= pages - 1));
}
function reasonRow(side, [pattern, isAbsent, value]) {
  const known = pattern === null ? null : patternOf(side, pattern);
  const name = known ? (isAbsent ? `absence of ${known.text}` : known.text) : "inputs other than subgraphs";
  const picture = make("td", { class: "p" }, known ? drawing(known.picture, known.words) : null);
  return make("tr", {}, picture, make("td", {}, name), make("td", { class: "v" }, amount(value)));
}
function reasonsOf(graph, side) {
  const head = make("h3", {}, modelName(side));
  const said = make("p", {}, `predicts ${saidText(graph, side)}`);
  if (!graph.reasons) return make("div", {}, head, said);
  const { output, list, picture } = graph.reasons[side];
  const rows = list.map((one) => reasonRow(side, one));
  return make(
    "div",
    {},
    head,
    said,
    make("div", { class: "big" }, drawing(picture, `graph ${graph.id} as ${LETTER[side]} sees it`)),
    make("table", { class: "attributions" }, make("tbody", {}, ...rows)),
    note(`The largest Shapley values of the ${output}.`),
  );
}
function open(at) {
  state.graph = at;
  showDetail();
  showTable();
  $("detail").scrollIntoView({ block: "nearest" });
}
function showDetail() {
  const graph = R.graphs[state.graph];
  const truth = truthOf(graph);
  fill(
    "detail",
    make("h3", {}, `Graph ${graph.id}${truth === null ? "" : `, true ${named(truth)}`}`),
    make("div", { class: "sides" }, reasonsOf(graph, 0), reasonsOf(graph, 1)),
    ...(graph.reasons ? [] : [note("Reasons are shown for the graphs whose predictions differ most.")]),
  );
}
function showFilters() {
  const changed = (key) => (event) => {
    state[key] = event.target.value;
    state.page = 0;
    showTable();
  };
  const find = make("input", { type: "search", id: "find", placeholder: "name", on: { input: changed("text") } });
  const children = [make("label", {}, "find ", find)];
  if (isClasses()) {
    const options = KINDS.map(([value, text]) => make("option", { value }, text));
    const only = make("select", { id: "only", on: { change: changed("only") } }, ...options);
    children.push(make("label", {}, "show ", only));
  }
  fill("filters", ...children);
}
function showTargets() {
  if (R.tasks.length < 2) return;
  const change = (event) => {
    [state.task, state.only] = [Number(event.target.value), ""];
    showAll();
  };
  const options = R.tasks.map(({ name }, at) => make("option", { value: at }, name));
  fill("target", make("label", {}, "target ", make("select", { id: "task", on: { change } }, ...options)));
}
function showNotes() {
  const texts = [
    "Both models are judged on the same graphs. Graphs used in training are judged by predictions of models that had " +
      "not seen them (out of fold); graphs without such a prediction are marked as fitted and not judged.",
    "The interval of a difference is a paired bootstrap interval over these graphs; the models are fixed.",
    "Effect: mean change of the output in graphs with the subgraph, compared with those without it " +
      `(A: ${R.models[0].effects_of}; B: ${R.models[1].effects_of}), with a 95 % interval.`,
    "Apart: half the sum of the differences of all class probabilities, or the difference of two numbers. Orange " +
      "parts of a drawing raise the output, blue parts lower it.",
  ];
  fill("notes", ...R.warnings.map((text) => make("p", { class: "warn" }, text)), ...texts.map((text) => note(text)));
  if (R.command) $("notes").append(note(make("code", {}, R.command), ` (${R.program})`));
}
function showAll() {
  showHeadline();
  showCases();
  showShared();
  showOwn();
  showFilters();
  showTable();
  showDetail();
}
showTargets();
showNotes();
showAll();
