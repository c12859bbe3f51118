/* Elements: those that the data blocks describe, and the script's own. Text is only ever set as text. */

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "rect", "text"]);
const TAGS = new Set(
  "a b caption code dd div dl dt figcaption figure h3 p pre small span table tbody td th thead tr".split(" "),
);
const ATTRIBUTES = new Set(
  "aria-hidden aria-label class colspan height href rel role rx scope viewBox width x y".split(" "),
);

/* The element that [tag, attributes, children] of a data block describes. */
const built = ([tag, attributes, children]) => {
  if (!SVG_TAGS.has(tag) && !TAGS.has(tag)) throw new Error(`a data block may not hold <${tag}>`);
  const made = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (!ATTRIBUTES.has(name) || (name === "href" && !/^https?:\/\//.test(value))) throw new Error(`a data block may not set ${name}`);
    made.setAttribute(name, value);
  }
  made.append(...children.map((child) => (typeof child === "string" ? child : built(child))));
  return made;
};

/* An element of the page's own. */
const make = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

/* A verdict with its sign and, if a record excuses it, the verdict without the record: `known · crashed`. */
const badgeOf = (log, verdict) => {
  const { name, judged, sign, colour, judgedColour } = log.verdicts[verdict];
  const kind = judged === name ? [] : [make("span", { class: `judged ${judgedColour}` }, ` · ${judged}`)];
  return make("span", { class: `badge ${colour}` }, make("span", { "aria-hidden": "true" }, sign), ` ${name}`, ...kind);
};
