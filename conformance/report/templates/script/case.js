/* One case in one form: the call, what each target made of it, and the same case in its other forms. */

const clausesOf = (log, row) => {
  const operator = operatorOf(log, row);
  const ids = log.clauseSets[log.caseClauses[log.rowCases[row]]];
  const texts = ids.map((id) => make("div", {}, make("dt", {}, make("code", {}, id)), make("dd", {}, log.clauses[`${operator} ${id}`] ?? "")));
  const law = log.laws[operator];
  if (law) texts.push(make("div", {}, make("dt", {}, "law"), make("dd", {}, make("pre", {}, law))));
  return texts.length ? [make("dl", { class: "facts" }, ...texts)] : [];
};

const inQuotes = (text) => `'${text.replaceAll("'", `'"'"'`)}'`;

/* The script, or which scripts the page holds. */
const scriptOf = (details) =>
  details?.script
    ? [
        make("h3", {}, "The script, with nothing of this project in it"),
        make("pre", { class: "command script" }, details.script),
      ]
    : [make("p", { class: "muted" }, "The page holds scripts of the first checks of a cause; the command writes any.")];

const commandsOf = (log, row, target, details) => {
  const filled = (command) =>
    command.replace(/\{(\w+)\}/g, (_, name) =>
      name === "form" ? formOf(log, row) : name === "case" ? inQuotes(caseOf(log, row)) : log.options[target],
    );
  const offered = log.commands[target];
  const parts = Object.entries(offered).flatMap(([title, command]) => [
    make("h3", {}, title),
    make("pre", { class: "command" }, filled(command)),
  ]);
  return make("div", { class: "commands" }, ...parts, ...("Write a script for the bug report" in offered ? scriptOf(details) : []));
};

/* A table of the forms of a case and the targets, each verdict a link. */
const otherForms = (log, row) => {
  const rows = [];
  log.rowCases.forEach((number, other) => number === log.rowCases[row] && rows.push(other));
  const headings = ["Form", ...log.targets].map((name) => make("th", { scope: "col" }, name));
  const body = rows.map((other) =>
    make(
      "tr",
      other === row ? { class: "current", "aria-current": "true" } : {},
      make("th", { scope: "row" }, formOf(log, other)),
      ...log.targets.map((_, target) => {
        const verdict = log.verdictsOf[target][other];
        return make("td", {}, verdict ? make("a", { href: rowLink(log, other, target) }, badgeOf(log, verdict)) : "");
      }),
    ),
  );
  return make(
    "div",
    { class: "scroll" },
    make("table", { class: "forms" }, make("thead", {}, make("tr", {}, ...headings)), make("tbody", {}, ...body)),
  );
};

const noteOf = (log, row, target) => log.notes[log.notesOf[target][row]];

/* What a target made of it that needs explaining. */
const explainedTarget = (log, row, target, details) => {
  const { sentence } = log.verdicts[log.verdictsOf[target][row]];
  const parts = details
    ? details.parts
    : [
        make("p", { class: "verdict" }, badgeOf(log, log.verdictsOf[target][row]), ` ${sentence}`),
        make("p", { class: "explanation" }, noteOf(log, row, target)),
        make("p", { class: "muted" }, "The page has no room for the values of this check; the log holds them."),
      ];
  const heading = make("h2", { class: "name" }, log.targets[target]);
  return make("section", { class: "target" }, heading, ...parts, commandsOf(log, row, target, details));
};

/* What the other targets made of it, a few words each. */
const otherTargets = (log, row, targets) =>
  make(
    "ul",
    { class: "others", "aria-label": "Other targets" },
    ...targets.map((target) =>
      make(
        "li",
        {},
        make("span", { class: "name" }, log.targets[target]),
        " ",
        badgeOf(log, log.verdictsOf[target][row]),
        make("span", { class: "muted" }, ` ${noteOf(log, row, target)}${log.loweredOf[target][row] ? " (lowered)" : ""}`),
      ),
    ),
  );

/* Where a tensor has several slices, one of them at a time, the first that differs first. */
const setUpSlices = (around) => {
  for (const box of around.querySelectorAll(".slices")) {
    const slices = [...box.querySelectorAll(":scope > .slice")];
    if (slices.length < 2) continue;
    const titles = slices.map((slice, number) => slice.querySelector("caption")?.textContent ?? `part ${number + 1}`);
    const select = make("select", {}, ...titles.map((title, number) => make("option", { value: String(number) }, `${title}${slices[number].querySelector("td.differs") ? " ≠" : ""}`)));
    const show = () => slices.forEach((slice, number) => (slice.hidden = number !== Number(select.value)));
    select.value = String(Math.max(0, slices.findIndex((slice) => slice.querySelector("td.differs"))));
    select.addEventListener("change", show);
    box.prepend(make("label", { class: "chooser" }, "Slice ", select));
    show();
  }
};

/* Grids that stand beside each other scroll together. */
const setUpSharedScrolling = (around) => {
  for (const slice of around.querySelectorAll(".slice")) {
    const boxes = [...slice.querySelectorAll(".scroll")];
    for (const box of boxes) {
      box.addEventListener("scroll", () => boxes.forEach((other) => (other.scrollLeft = box.scrollLeft)), { passive: true });
    }
  }
};

const pager = (log, rows, row) => {
  const place = rows.indexOf(row);
  if (place < 0 || rows.length < 2) return [];
  const step = (text, other, name) =>
    other === undefined ? make("span", { class: "muted" }, text) : make("a", { href: rowLink(log, other), "data-step": name }, text);
  return [
    step("← previous", rows[place - 1], "ArrowLeft"),
    make("span", { class: "muted" }, `${(place + 1).toLocaleString("en")} of ${rows.length.toLocaleString("en")}`),
    step("next →", rows[place + 1], "ArrowRight"),
  ];
};

/* The elements that a fragment without a case leads to. */
const missingView = (back) => [
  make("h1", { id: "case-title", tabindex: "-1" }, "This report has no such case"),
  make("p", {}, make("a", { href: back, "data-step": "Escape" }, "Back to the report")),
];

/* The elements of a case's view; `back` is the fragment that leads out of it, `rows` are those to walk through. */
const caseView = async (log, row, wanted, back, rows) => {
  const ran = log.targets.map((_, target) => target).filter((target) => log.verdictsOf[target][row]);
  const details = new Map(await Promise.all(ran.map(async (target) => [target, await detailsOf(log, row, target)])));
  const isExplained = (target) => details.get(target) !== null || isInGroup(log, row, target, "fail");
  const explained = ran.filter(isExplained).sort((one, other) => (other === wanted) - (one === wanted));
  const others = ran.filter((target) => !isExplained(target));
  const first = explained.find((target) => details.get(target));
  const targets = make("div", { class: "targets" });
  targets.append(...explained.map((target) => explainedTarget(log, row, target, details.get(target))));
  setUpSlices(targets);
  setUpSharedScrolling(targets);
  const leave = make("a", { href: back, "data-step": "Escape" }, "Back to the report");
  return [
    make("nav", { class: "pager", "aria-label": "Cases" }, leave, ...pager(log, rows, row)),
    make("h1", { id: "case-title", tabindex: "-1" }, caseOf(log, row)),
    make("p", { class: "meta" }, [formOf(log, row), dtypeOf(log, row)].filter(Boolean).join(" · ")),
    ...(first === undefined ? [] : [details.get(first).call]),
    ...(others.length ? [otherTargets(log, row, others)] : []),
    targets,
    make("h2", {}, "In every form"),
    otherForms(log, row),
    make("h2", {}, "Clauses that it tests"),
    ...clausesOf(log, row),
  ];
};
