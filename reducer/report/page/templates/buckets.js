
"use strict";
const form = document.querySelector(".filters");
const list = document.querySelector(".list");
const items = Array.from(list.children);
const texts = new Map(items.map(item => [item, item.textContent.toLowerCase()]));
const number = text => text === "" ? Infinity : Number(text);
const orders = {
  "": (a, b) => items.indexOf(a) - items.indexOf(b),
  inputs: (a, b) => number(b.dataset.inputs) - number(a.dataset.inputs),
  after: (a, b) => number(a.dataset.after) - number(b.dataset.after) || 0,
};
const fits = (item, want) =>
  (!want.kind || item.dataset.kind === want.kind)
  && (!want.target || JSON.parse(item.dataset.targets).includes(want.target))
  && (!want.state || item.dataset.state === want.state)
  && (!want.wheel || JSON.parse(item.dataset.wheels).includes(want.wheel))
  && want.text.toLowerCase().split(/\s+/).every(word => texts.get(item).includes(word));
const update = () => {
  const want = Object.fromEntries(new FormData(form));
  const shown = items.filter(item => (item.hidden = !fits(item, want), !item.hidden));
  list.append(...items.slice().sort(orders[want.order]));
  const all = items.length, noun = all === 1 ? "bucket" : "buckets";
  document.querySelector(".count").textContent =
    shown.length === all ? `${all} ${noun}` : `${shown.length} of ${all} ${noun}`;
  if (all) document.querySelector(".nothing").hidden = shown.length > 0;
};
form.hidden = false;
form.addEventListener("input", update);
form.addEventListener("submit", event => event.preventDefault());
form.addEventListener("reset", () => setTimeout(update));
update();
