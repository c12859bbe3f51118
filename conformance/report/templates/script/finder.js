/* Finding: the query, the quick filters and the order decide which rows the list shows; the fragment remembers them. */

const SEVERITY = ["new", "not-judged", "fail"];

/* Rows in the order of a column. A key is made for each row once, and sorted as a number. */
const orderOf = (log, column) => {
  const ranks = (texts) => {
    const sorted = texts.map((_, number) => number).sort((a, b) => (texts[a] < texts[b] ? -1 : texts[a] > texts[b] ? 1 : 0));
    const places = new Uint32Array(texts.length);
    sorted.forEach((number, place) => (places[number] = place));
    return places;
  };
  const keyOf = () => {
    if (column === "case") {
      const places = ranks(log.cases);
      return (row) => places[log.rowCases[row]];
    }
    if (column === "form") return (row) => log.rowForms[row];
    if (column === "dtype") {
      const places = ranks(log.dtypes);
      return (row) => places[log.caseDtypes[log.rowCases[row]]];
    }
    const verdicts = log.verdictsOf[log.targets.indexOf(column)];
    const severity = log.verdicts.map(({ groups, name }, number) => {
      const place = SEVERITY.findIndex((group) => groups.includes(group));
      return number === 0 ? 99 : place >= 0 ? place : name === "pass" ? 98 : 10 + number;
    });
    return (row) => severity[verdicts[row]];
  };
  const key = keyOf();
  const keys = Float64Array.from({ length: log.rows }, (_, row) => key(row) * log.rows + row).sort();
  return Uint32Array.from(keys, (one) => one % log.rows);
};

const setUpFinder = (log, open) => {
  const input = document.getElementById("query");
  const says = document.getElementById("query-says");
  const quick = document.getElementById("quick");
  const kept = new Map();
  const orders = new Map();
  let sorting = { column: "", isDown: false };
  let shown = [];

  const rowsOf = (tree) => {
    const mask = tree === null ? null : maskOf(log, tree, kept);
    if (sorting.column && !orders.has(sorting.column)) orders.set(sorting.column, orderOf(log, sorting.column));
    const order = orders.get(sorting.column);
    const rows = [];
    for (let place = 0; place < log.rows; place += 1) {
      const row = order ? order[sorting.isDown ? log.rows - 1 - place : place] : place;
      if (mask === null || mask[row]) rows.push(row);
    }
    return rows;
  };

  const fragment = () => {
    const named = {};
    if (input.value.trim()) named.find = input.value.trim();
    if (sorting.column) named.sort = `${sorting.isDown ? "-" : ""}${sorting.column}`;
    return Object.keys(named).length ? `#${new URLSearchParams(named)}` : "#checks";
  };

  const explain = (error) => {
    input.toggleAttribute("aria-invalid", error !== null);
    if (error === null) {
      const cases = new Set(shown.map((row) => log.rowCases[row])).size;
      says.replaceChildren(`${shown.length.toLocaleString("en")} of ${counted(log.rows, "row")} · ${counted(cases, "case")}`);
      return;
    }
    const text = input.value;
    says.replaceChildren(
      make("b", { class: "problem" }, "Not understood: "),
      `${error.message}. `,
      make("code", {}, text.slice(0, error.start), make("mark", {}, text.slice(error.start, error.end) || "…"), text.slice(error.end)),
    );
  };

  const apply = () => {
    try {
      shown = rowsOf(parsed(input.value));
    } catch (error) {
      if (!(error instanceof QueryError)) throw error;
      explain(error);
      return;
    }
    explain(null);
    list.show(shown, sorting);
    for (const button of quick.children) {
      button.setAttribute("aria-pressed", String(button.dataset.query === input.value.trim()));
    }
  };

  const changed = () => {
    apply();
    history.replaceState(history.state, "", fragment());
  };
  const sortBy = (column) => {
    const isAgain = sorting.column === column;
    sorting = isAgain && sorting.isDown ? { column: "", isDown: false } : { column, isDown: isAgain };
    changed();
  };
  const list = setUpList(log, document.getElementById("list"), sortBy, open);

  const filters = [
    ["All", ""],
    ["New differences", "is:new"],
    ["Known", "is:known"],
    ["Targets disagree", "is:disagreement"],
    ["Died", "is:crashed or is:timed-out or is:unstable"],
    ["Not judged", "is:not-judged"],
    ...log.targets.map((name) => [`${name} differs`, `${asWord(name)}:fail`]),
  ];
  for (const [label, query] of filters) {
    const count = query ? maskOf(log, parsed(query), kept).reduce((sum, flag) => sum + flag, 0) : log.rows;
    if (!count) continue;
    const button = make("button", { type: "button", "data-query": query, "aria-pressed": "false" }, `${label} `);
    button.append(make("small", {}, count.toLocaleString("en")));
    quick.append(button);
  }
  quick.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    input.value = button.dataset.query;
    changed();
  });
  input.addEventListener("input", changed);
  setUpCompletion(log, input, document.getElementById("completions"), changed);
  document.getElementById("query-clear").addEventListener("click", () => {
    input.value = "";
    changed();
    input.focus();
  });

  return {
    /* Show what a fragment says. */
    show: (parameters) => {
      const sort = parameters.get("sort") ?? "";
      const column = sort.replace(/^-/, "");
      const isKnown = ["case", "form", "dtype", ...log.targets].includes(column);
      sorting = isKnown ? { column, isDown: sort.startsWith("-") } : { column: "", isDown: false };
      input.value = parameters.get("find") ?? "";
      apply();
    },
    draw: list.draw,
    fragment,
    rows: () => shown,
    isAsked: () => input.value.trim() !== "",
    /* The rows that a reader who has not asked for any others wants to see one after the other. */
    differing: () => rowsOf(parsed("is:fail")),
  };
};
