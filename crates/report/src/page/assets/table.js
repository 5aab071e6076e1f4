/* Table of graphs ---------------------------------------------------------------------------------------------- */
// How unlikely the true class was held to be, in bits: 0 if it was certain, 1 at a probability of one half.
function surprise(row) {
  if (!isJudged(row)) return null;
  return -Math.log2(Math.max(1e-6, probabilities(row)[truth(row)]));
}
// The size of the error, by which a column of errors is sorted.
const sortValue = (key, content) => (key === "error" && content !== null ? Math.abs(content) : content);
// Columns: key, title, and the value of a row.
function columns() {
  const list = [["id", "graph", (row) => R.graphs[row].id]];
  if (hasSeveralGroups()) list.push(["group", "prediction", (row) => group(R.graphs[row].group).name]);
  if (hasTruth()) list.push(["truth", "true", (row) => truth(row)]);
  list.push(["predicted", "predicted", (row) => predicted(row)]);
  if (isClassification()) {
    const probability = (row) => (predicted(row) === null ? null : probabilities(row)[said(row)]);
    list.push(["probability", "probability", probability]);
  } else if (hasTruth()) {
    list.push(["error", "error", (row) => (isJudged(row) ? predicted(row) - truth(row) : null)]);
  }
  if (isClassification() && hasTruth()) list.push(["surprise", "surprise", surprise]);
  list.push(["found", "subgraphs", (row) => presentPatterns(row).length]);
  return list;
}
const isTarget = (key) => key === "truth" || key === "predicted";
const isNumber = (key) =>
  ["probability", "error", "surprise", "found"].includes(key) || (!isClassification() && isTarget(key));
function cellText(key, content) {
  if (content === null || content === undefined) return "–";
  if (isTarget(key)) return isClassification() ? task().classes[content] : number(content);
  if (key === "probability") return percent(content);
  if (key === "surprise") return content.toFixed(2);
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
  const keys = new Map(rows.map((row) => [row, sortValue(column[0], column[2](row))]));
  const collate = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => {
    const [x, y] = [keys.get(a), keys.get(b)];
    if (x === null || y === null) return (x === null) - (y === null);
    return (state.up ? 1 : -1) * (typeof x === "string" ? collate.compare(x, y) : x - y);
  };
  return rows.sort((a, b) => compare(a, b) || a - b);
}
function sortBy(key) {
  state.up = state.sort === key ? !state.up : !["probability", "error", "surprise", "found"].includes(key);
  state.sort = key;
  state.page = 0;
  showTable();
}
function columnHead([key, name]) {
  const direction = state.up ? "ascending" : "descending";
  const attributes = {
    scope: "col",
    class: isNumber(key) ? "num" : null,
    "data-key": key,
    "aria-sort": state.sort === key ? direction : "none",
  };
  return make("th", attributes, make("button", { on: { click: () => sortBy(key) } }, name));
}
function cell([key, , get], row) {
  const text = cellText(key, get(row));
  const isMarked = key === "predicted" && isJudged(row) && isClassification();
  const mark = isMarked ? (isWrong(row) ? " no right-wrong" : " ok right-wrong") : "";
  const click = (event) => {
    event.stopPropagation();
    open(row, null);
  };
  const content = key === "id" ? make("button", { class: "link", on: { click } }, text) : text;
  return make(
    "td",
    { class: (isNumber(key) ? "num" : "") + mark, title: key === "id" ? text : null },
    content,
  );
}
// A small picture of the graph under the pointer.
function peek(row) {
  $("peek").hidden = row === null;
  if (row !== null) fill("peek", graphDrawing(row, null));
}
function tableRow(list, row) {
  const attributes = {
    "data-row": row,
    "aria-current": row === state.graph ? "true" : null,
    on: { click: () => open(row, null), mouseenter: () => peek(row), mouseleave: () => peek(null) },
  };
  return make("tr", attributes, ...list.map((column) => cell(column, row)));
}
function showTable() {
  const [rows, list] = [visible(), columns()];
  const pages = Math.max(1, Math.ceil(rows.length / PAGE));
  state.page = Math.min(state.page, pages - 1);
  const [from, to] = [state.page * PAGE, Math.min(rows.length, (state.page + 1) * PAGE)];
  $("table").tHead.replaceChildren(make("tr", {}, ...list.map(columnHead)));
  $("table").tBodies[0].replaceChildren(...rows.slice(from, to).map((row) => tableRow(list, row)));
  const turn = (by, text, disabled) => {
    const click = () => {
      state.page += by;
      showTable();
    };
    return make("button", { class: "plain", disabled, on: { click } }, text);
  };
  const range = make("span", {}, `${rows.length ? from + 1 : 0}–${to} of ${rows.length}`);
  fill("pager", turn(-1, "previous", state.page === 0), range, turn(1, "next", state.page >= pages - 1));
  $("columns-note").textContent = columnsNote(list.map(([key]) => key));
}
// What the columns mean.
function columnsNote(keys) {
  const meanings = {
    probability: "Probability: that of the predicted class.",
    surprise: "Surprise: how improbable the model found the true class, in bits (1 at a probability of one half).",
    error: "Error: the prediction minus the true value.",
    found: "Subgraphs: how many of the model's subgraphs the graph contains.",
  };
  return keys.flatMap((key) => meanings[key] || []).join(" ");
}

/* Filters ------------------------------------------------------------------------------------------------------ */
function filtered() {
  state.page = 0;
  showTable();
}
function filterSelect(name, options, key) {
  const change = (event) => {
    state[key] = event.target.value;
    filtered();
  };
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
  const search = {
    type: "search",
    id: "filter-text",
    size: 14,
    on: {
      input: (event) => {
        state.text = event.target.value;
        filtered();
      },
    },
  };
  const children = [make("label", {}, "find ", make("input", search))];
  const known = R.groups.filter((one) => one.graphs);
  if (hasSeveralGroups())
    children.push(
      filterSelect("prediction", [["", "all"], ...known.map(({ key, name }) => [key, name])], "group"),
    );
  if (isClassification() && hasTruth()) {
    const wrong = {
      type: "checkbox",
      id: "filter-wrong",
      on: {
        change: (event) => {
          state.wrong = event.target.checked;
          filtered();
        },
      },
    };
    children.push(
      filterSelect(
        "true class",
        [["", "all"], ...task().classes.map((name, at) => [String(at), name])],
        "truth",
      ),
    );
    children.push(make("label", {}, make("input", wrong), " only wrong predictions"));
  }
  fill("filters", ...children);
  fill("explained", ...(R.quantities.length > 1 ? [quantitySelect()] : []));
}
