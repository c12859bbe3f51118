/* Completion of the query: what may stand where the caret is, in a list that the keyboard walks through. */

const MAX_COMPLETIONS = 12;

const asWord = (text) => (/^[^\s():"\\]+$/.test(text) ? text : `"${text.replace(/["\\]/g, "\\$&")}"`);

const valuesOf = (log, field) => {
  const fixed = {
    operator: () => log.operators,
    dtype: () => log.dtypes,
    form: () => log.forms,
    clause: () => [...new Set(log.clauseSets.flat())],
    target: () => log.targets,
    verdict: () => verdictWords(log),
    is: () => ["different", "disagreement", ...deedWords(log)],
    cause: () => log.notes,
    deviation: () => [],
    case: () => log.cases,
  };
  return Object.hasOwn(fixed, field) ? fixed[field]() : deedWords(log);
};

/* The place of the word before the caret, and what it may become. */
const completionsOf = (log, text, caret) => {
  const start = caret - text.slice(0, caret).match(/[^\s()]*$/)[0].length;
  const word = text.slice(start, caret);
  const colon = word.indexOf(":");
  const typed = normal(word.slice(colon + 1).replaceAll('"', ""));
  const fits = (name) => name !== "" && normal(name).includes(typed) && normal(name) !== typed;
  if (colon > 0) {
    const field = word.slice(0, colon);
    const names = valuesOf(log, field.toLowerCase()).filter(fits).slice(0, MAX_COMPLETIONS);
    return { start, options: names.map((name) => ({ text: `${field}:${asWord(name)} `, label: name, says: "" })) };
  }
  const targets = [...new Set(log.targets.map((name) => name.split("@", 1)[0]))];
  const fields = [
    ...targets.map((name) => ({ text: `${asWord(name)}:`, label: `${name}:`, says: "what this target did" })),
    ...Object.entries(FIELDS).map(([name, says]) => ({ text: `${name}:`, label: `${name}:`, says })),
    ...["and", "or", "not"].map((name) => ({ text: `${name} `, label: name, says: "" })),
  ];
  const options = fields.filter(({ label }) => label.startsWith(typed) && label !== typed);
  return { start, options: options.slice(0, MAX_COMPLETIONS + 6) };
};

/* Makes an input a combobox. `changed` is called when a completion has been taken, and `leave` when a key leads on that
   takes none. */
const setUpCompletion = (log, input, box, changed, leave) => {
  let found = { start: 0, options: [] };
  let active = -1;

  const mark = (number) => {
    active = number;
    [...box.children].forEach((item, place) => item.setAttribute("aria-selected", String(place === active)));
    if (active >= 0) {
      input.setAttribute("aria-activedescendant", `completion-${active}`);
      box.children[active].scrollIntoView({ block: "nearest" });
    } else input.removeAttribute("aria-activedescendant");
  };
  const close = () => {
    box.hidden = true;
    input.setAttribute("aria-expanded", "false");
    mark(-1);
  };
  const open = () => {
    found = completionsOf(log, input.value, input.selectionStart);
    box.replaceChildren(
      ...found.options.map(({ label, says }, number) =>
        make("li", { role: "option", id: `completion-${number}`, "aria-selected": "false" }, label, " ", make("small", {}, says)),
      ),
    );
    box.hidden = found.options.length === 0;
    input.setAttribute("aria-expanded", String(!box.hidden));
    mark(-1);
  };
  const take = (number) => {
    const after = input.value.slice(input.selectionStart);
    const before = input.value.slice(0, found.start) + found.options[number].text;
    input.value = before + after;
    input.setSelectionRange(before.length, before.length);
    changed();
    complete();
  };
  /* Opens on a word that has begun: after a finished one the keys lead on. */
  const complete = () => (/[\s()]$|^$/.test(input.value.slice(0, input.selectionStart)) ? close() : open());
  const keys = {
    ArrowDown: () => (box.hidden ? leave() : mark((active + 1) % found.options.length)),
    ArrowUp: () => mark((active + found.options.length) % (found.options.length + 1) - (active < 0 ? 1 : 0)),
    Enter: () => {
      if (active >= 0) take(active);
      else {
        close();
        leave();
      }
    },
    Tab: () => (active >= 0 ? take(active) : null),
    Escape: close,
  };

  input.addEventListener("keydown", (event) => {
    const isUsed = ["ArrowDown", "Enter"].includes(event.key) || (!box.hidden && Object.hasOwn(keys, event.key));
    if (!isUsed) return;
    if (event.key !== "Tab" || active >= 0) event.preventDefault();
    if (event.key === "Escape") event.stopPropagation();
    keys[event.key]();
  });
  input.addEventListener("input", complete);
  input.addEventListener("click", open);
  input.addEventListener("blur", close);
  box.addEventListener("mousedown", (event) => {
    event.preventDefault();
    const item = event.target.closest("[role=option]");
    if (item) take([...box.children].indexOf(item));
  });
};
