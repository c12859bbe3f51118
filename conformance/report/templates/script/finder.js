/* Finding: the query, the quick filters and the order decide which rows the list shows; the fragment remembers them. */

const PAUSE_MS = 300;
const WORST_FIRST = ["new", "not-judged", "fail"];

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
    const severities = log.verdicts.map(({ groups, severity }, number) => {
      const place = WORST_FIRST.findIndex((group) => groups.includes(group));
      return number === 0 ? 999 : place >= 0 ? 10 * place + severity : groups.includes("conforming") ? 998 : 100 + number;
    });
    return (row) => severities[verdicts[row]];
  };
  const key = keyOf();
  const keys = Float64Array.from({ length: log.rows }, (_, row) => key(row) * log.rows + row).sort();
  return Uint32Array.from(keys, (one) => one % log.rows);
};

/* The number of different cases of some rows. */
const casesOf = (log, rows) => {
  const isSeen = new Uint8Array(log.cases.length);
  let count = 0;
  for (const row of rows) {
    const number = log.rowCases[row];
    count += 1 - isSeen[number];
    isSeen[number] = 1;
  }
  return count;
};

const setUpFinder = (log, open) => {
  const input = document.getElementById("query");
  const says = document.getElementById("query-says");
  const quick = document.getElementById("quick");
  const kept = new Map();
  const orders = new Map();
  let sorting = { column: "", isDown: false };
  let shown = [];
  let remembering = 0;

  const rowsOf = (tree) => {
    const mask = tree === null ? null : maskOf(log, tree, kept);
    if (sorting.column && !orders.has(sorting.column)) orders.set(sorting.column, orderOf(log, sorting.column));
    const order = orders.get(sorting.column);
    const rows = new Uint32Array(log.rows);
    let count = 0;
    for (let place = 0; place < log.rows; place += 1) {
      const row = order ? order[sorting.isDown ? log.rows - 1 - place : place] : place;
      if (mask === null || mask[row]) rows[count++] = row;
    }
    return rows.subarray(0, count);
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
      says.replaceChildren(`${shown.length.toLocaleString("en")} of ${counted(log.rows, "row")} · ${counted(casesOf(log, shown), "case")}`);
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

  const remember = () => {
    clearTimeout(remembering);
    remembering = 0;
    history.replaceState(history.state, "", fragment());
  };
  const changed = () => {
    apply();
    remember();
  };
  /* Browsers limit how often an address may change: while a reader types, it waits for a pause. */
  const typed = () => {
    apply();
    clearTimeout(remembering);
    remembering = setTimeout(remember, PAUSE_MS);
  };
  const sortBy = (column) => {
    const isAgain = sorting.column === column;
    sorting = isAgain && sorting.isDown ? { column: "", isDown: false } : { column, isDown: isAgain };
    changed();
  };
  const list = setUpList(log, document.getElementById("list"), sortBy, open, () => input.focus());

  const filters = [
    ["All", ""],
    ["New differences", "is:new"],
    ["Memory or crash", "is:memory-or-crash"],
    ["Wrong values", "is:wrong-values"],
    ["Wrong acceptance", "is:wrong-acceptance"],
    ["Wrong rejection", "is:wrong-rejection"],
    ["Costly rejection", "is:costly-rejection"],
    ["Not judged", "is:not-judged"],
    ["Known", "is:known"],
    ["Targets disagree", "is:disagreement"],
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
  input.addEventListener("input", typed);
  input.addEventListener("blur", () => remembering && remember());
  const enterList = () => input.hasAttribute("aria-invalid") || list.focus();
  setUpCompletion(log, input, document.getElementById("completions"), changed, enterList);
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
    /* Makes what the first query needs, before a reader writes one. */
    prepare: () => maskOf(log, parsed("a"), kept),
    measure: list.measure,
    focus: () => input.focus(),
    fragment,
    rows: () => shown,
    isAsked: () => input.value.trim() !== "",
    /* The rows that a reader who has not asked for any others wants to see one after the other. */
    differing: () => rowsOf(parsed("is:fail")),
  };
};
