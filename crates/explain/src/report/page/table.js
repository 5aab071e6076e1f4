/* Table of graphs ---------------------------------------------------------------------------------------------- */
// Columns: key, title, and the value of a row.
function columns() {
  const list = [["id", "graph", (row) => R.graphs[row].id]];
  if (hasSeveralGroups()) list.push(["group", "prediction", (row) => group(R.graphs[row].group).name]);
  if (hasTruth()) list.push(["truth", "true", (row) => truth(row)]);
  list.push(["predicted", "predicted", (row) => predicted(row)]);
  if (isClassification()) list.push(["probability", "probability", (row) => (predicted(row) === null ? null : probabilities(row)[said(row)])]);
  else if (hasTruth()) list.push(["error", "error", (row) => (isJudged(row) ? predicted(row) - truth(row) : null)]);
  list.push(["found", "subgraphs", (row) => presentAttributions(row).length]);
  return list;
}
const isTarget = (key) => key === "truth" || key === "predicted";
const isNumber = (key) => ["probability", "error", "found"].includes(key) || (!isClassification() && isTarget(key));
function cellText(key, content) {
  if (content === null || content === undefined) return "–";
  if (isTarget(key)) return isClassification() ? task().classes[content] : number(content);
  if (key === "probability") return percent(content);
  return key === "error" ? signed(content) : String(content);
}
const isShown = (row) =>
  R.graphs[row].id.toLowerCase().includes(state.text.toLowerCase()) &&
  (!state.group || R.graphs[row].group === state.group) &&
  (state.truth === "" || String(truth(row)) === state.truth) &&
  (!state.wrong || isWrong(row));
// The rows that pass the filters, sorted; missing values last.
function visible() {
  const rows = R.graphs.map((_, row) => row).filter(isShown);
  const column = columns().find(([key]) => key === state.sort) || columns()[0];
  const keys = new Map(rows.map((row) => [row, column[2](row)]));
  const collate = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x === null) return 1;
    if (y === null) return -1;
    return typeof x === "string" ? collate.compare(x, y) : x - y;
  };
  return rows.sort((a, b) => (state.up ? compare(a, b) : compare(b, a)) || a - b);
}
function sortBy(key) {
  state.up = state.sort === key ? !state.up : !["probability", "found"].includes(key);
  state.sort = key;
  state.page = 0;
  showTable();
}
function columnHead([key, name]) {
  const direction = state.up ? "ascending" : "descending";
  const attributes = { scope: "col", class: isNumber(key) ? "num" : null, "data-key": key, "aria-sort": state.sort === key ? direction : "none" };
  return make("th", attributes, make("button", { on: { click: () => sortBy(key) } }, name));
}
function cell([key, , get], row) {
  const text = cellText(key, get(row));
  const isMarked = key === "predicted" && isJudged(row) && isClassification();
  const mark = isMarked ? (isWrong(row) ? " no right-wrong" : " ok right-wrong") : "";
  const click = (event) => { event.stopPropagation(); open(row, null); };
  const content = key === "id" ? make("button", { class: "link", on: { click } }, text) : text;
  return make("td", { class: (isNumber(key) ? "num" : "") + mark, title: key === "id" ? text : null }, content);
}
function tableRow(list, row) {
  const attributes = { "data-row": row, "aria-selected": String(row === state.graph), on: { click: () => open(row, null) } };
  return make("tr", attributes, ...list.map((column) => cell(column, row)));
}
function showTable() {
  const [rows, list] = [visible(), columns()];
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const [from, to] = [state.page * PAGE, Math.min(rows.length, (state.page + 1) * PAGE)];
  $("table").tHead.replaceChildren(make("tr", {}, ...list.map(columnHead)));
  $("table").tBodies[0].replaceChildren(...rows.slice(from, to).map((row) => tableRow(list, row)));
  const turn = (by, text, disabled) => make("button", { class: "plain", disabled, on: { click: () => { state.page += by; showTable(); } } }, text);
  const range = make("span", {}, `${rows.length ? from + 1 : 0}–${to} of ${rows.length}`);
  fill("pager", turn(-1, "previous", state.page === 0), range, turn(1, "next", state.page >= pages - 1));
}

/* Filters ------------------------------------------------------------------------------------------------------ */
function filtered() { state.page = 0; showTable(); }
function filterSelect(name, options, key) {
  const change = (event) => { state[key] = event.target.value; filtered(); };
  const list = options.map(([value, text]) => make("option", { value }, text));
  return make("label", {}, name + " ", make("select", { id: `filter-${key}`, on: { change } }, ...list));
}
function quantitySelect() {
  const change = (event) => {
    state.quantity = Number(event.target.value);
    state.truth = "";
    showAll();
    showFilters();
    $("quantity").value = String(state.quantity);
  };
  const list = R.quantities.map((q, at) => make("option", { value: at }, q.name));
  return make("label", {}, "explain ", make("select", { id: "quantity", on: { change } }, ...list));
}
function showFilters() {
  const search = { type: "search", id: "filter-text", size: 14, on: { input: (event) => { state.text = event.target.value; filtered(); } } };
  const children = [make("label", {}, "find ", make("input", search))];
  const known = R.groups.filter((one) => one.graphs);
  if (hasSeveralGroups()) children.push(filterSelect("prediction", [["", "all"], ...known.map(({ key, name }) => [key, name])], "group"));
  if (isClassification() && hasTruth()) {
    const wrong = { type: "checkbox", id: "filter-wrong", on: { change: (event) => { state.wrong = event.target.checked; filtered(); } } };
    children.push(filterSelect("true class", [["", "all"], ...task().classes.map((name, at) => [String(at), name])], "truth"));
    children.push(make("label", {}, make("input", wrong), " only wrong predictions"));
  }
  fill("filters", ...children);
  fill("explained", ...(R.quantities.length > 1 ? [quantitySelect()] : []));
}

