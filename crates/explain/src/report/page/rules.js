/* Surrogate decision trees ------------------------------------------------------------------------------------- */
const usesCounts = (node) => node.pattern !== undefined && (node.count > 1 || usesCounts(node.yes) || usesCounts(node.no));
function leaf(node, names) {
  if (!names.length) return [make("span", {}, short(node.value[0])), make("small", {}, graphs(node.rows))];
  const best = node.value.indexOf(Math.max(...node.value));
  const purity = node.value[best] < 0.9995 ? `, ${percent(node.value[best])}` : "";
  return [make("span", {}, names[best]), make("small", {}, graphs(node.rows) + purity)];
}
function treeNode(node, names, answer) {
  const label = answer ? make("span", { class: "way" }, answer) : null;
  if (node.pattern === undefined) return make("li", {}, label, make("div", { class: "leaf" }, ...leaf(node, names)));
  const pattern = R.patterns[entry().patterns[node.pattern]];
  const text = countQuestion(node.count);
  const question = make("div", { class: "q" }, drawing(pattern.picture, pattern.words), make("small", {}, `${text} · ${graphs(node.rows)}`));
  return make("li", {}, label, question, make("ul", {}, treeNode(node.yes, names, "yes"), treeNode(node.no, names, "no")));
}
function fidelitySentence(root, fidelity, names) {
  const asks = usesCounts(root) ? `which subgraphs a graph contains, and their ${R.feature === "mni" ? "minimum-image counts" : "counts of copies"},` : "which subgraphs a graph contains";
  const part = names.length ? "of the model's predictions" : "of the variance of the model's predictions";
  return `Fidelity: a decision tree that asks only ${asks} ${names.length ? "reproduces" : "explains"} ${percent(fidelity)} ${part}.${fidelity < 0.8 ? " That is too little to read it as the model: it is a rough sketch." : ""}`;
}
function showTrees() {
  const blocks = shownTasks.map((index, slot) => {
    const [root, fidelity] = entry().trees[slot];
    const names = R.tasks[index].classes;
    const title = shownTasks.length > 1 ? make("h3", {}, R.tasks[index].name) : null;
    const tree = make("ul", { class: "tree" }, treeNode(root, names, null));
    const scroll = make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "decision tree" }, tree);
    return make("div", {}, title, note(fidelitySentence(root, fidelity, names)), scroll);
  });
  fill("trees", ...blocks);
}

