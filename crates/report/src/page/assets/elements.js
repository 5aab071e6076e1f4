// Shows what the report computed. Text is always set as text; only drawings, escaped by the program, are markup.
"use strict";
const R = JSON.parse(document.getElementById("report-data").textContent);
const $ = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

/* Elements ----------------------------------------------------------------------------------------------------- */
// An element of HTML; `on` holds listeners, and attributes that are false or absent are left out.
function make(tag, attributes, ...children) {
  const element = document.createElement(tag);
  const { on = {}, ...plain } = attributes || {};
  for (const [event, act] of Object.entries(on)) element.addEventListener(event, act);
  for (const [name, value] of Object.entries(plain)) {
    if (value !== null && value !== undefined && value !== false)
      element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}
// An element of SVG.
function shape(tag, attributes, text) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
function fill(id, ...children) {
  $(id).replaceChildren(...children);
}
// A part that may be wider than the page: keys move it.
const scrolling = { class: "scroll", tabindex: "0", role: "group", "aria-label": "table" };
const note = (...children) => make("p", { class: "note" }, ...children);
const header = (text, style) => make("th", { scope: "col", class: style || null }, text);

/* Numbers ------------------------------------------------------------------------------------------------------ */
const isMissing = (value) => value === undefined || value === null || Number.isNaN(value);
const number = (value, digits = 3) => (isMissing(value) ? "–" : value.toFixed(digits).replace(/^-/, "−"));
// What is shown as zero has no sign.
function signed(value) {
  const size = Math.abs(value).toFixed(3);
  if (Number(size) === 0) return size;
  return (value < 0 ? "−" : "+") + size;
}
// A number with its sign and about three digits.
function signedShort(value) {
  const size = Math.abs(value);
  if (size >= 1000 || (size > 0 && size < 0.0005)) return (value < 0 ? "−" : "+") + size.toPrecision(3);
  return signed(value);
}
const percent = (value) => (100 * value).toFixed(1) + " %";
const graphs = (count) => `${count} ${count === 1 ? "graph" : "graphs"}`;
const subgraphs = (count) => `${count} ${count === 1 ? "subgraph" : "subgraphs"}`;
function short(value) {
  const size = Math.abs(value);
  if (size > 0 && size < 0.001) return Number(value.toPrecision(3)).toExponential();
  return size >= 1000 ? value.toPrecision(3) : String(Number(value.toPrecision(4)));
}
