/* Elements: those that the data blocks hold, and the script's own. Text is only ever set as text. */

const TAGS = new Set(
  "a b caption code dd div dl dt figcaption figure h3 p pre small span table tbody td th thead tr".split(" "),
);
const ATTRIBUTES = new Set("aria-hidden aria-label class colspan href rel role scope".split(" "));

/* The element that a data block has as HTML. It is read into a document of its own, where nothing runs or loads. */
const built = (html) => {
  const { body } = new DOMParser().parseFromString(html, "text/html");
  for (const one of body.querySelectorAll("*")) {
    if (!TAGS.has(one.localName)) throw new Error(`a data block may not hold <${one.localName}>`);
    for (const { name, value } of one.attributes) {
      if (!ATTRIBUTES.has(name) || (name === "href" && !/^https?:\/\//.test(value))) throw new Error(`a data block may not set ${name}`);
    }
  }
  return body.firstElementChild;
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
