/* The page of an operator version: the query leaves rows and releases, and a cell that is chosen is explained. */

const PARTS = ["dtype", "form", "clause"];

/* A table with its releases, and of each cell the first release and their number. */
const matrixOf = (table) => {
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const cols = [...table.querySelectorAll("col")].slice(1);
  const rows = [...table.querySelectorAll("tbody tr:not(.group tr)")].map((row) => {
    let from = 0;
    const cells = [...row.cells].slice(1).map((cell) => {
      const one = { cell, from, to: from + cell.colSpan };
      from = one.to;
      return one;
    });
    const names = PARTS.map((part) => row.dataset[part]).filter(Boolean);
    return { row, cells, names, says: row.querySelector(".says")?.textContent ?? "" };
  });
  const releases = heads.map((head) => head.dataset.release);
  return { table, section: table.closest("section"), engine: table.dataset.engine, heads, cols, rows, releases };
};

/* Leaves the releases that are sought in a matrix, all where none is. */
const showReleases = ({ heads, cols, rows, releases }, sought) => {
  const named = releases.map((release) => sought.some((term) => isOfRelease(term, release)));
  const isShown = named.includes(true) ? named : named.map(() => true);
  heads.forEach((head, place) => (head.hidden = cols[place].hidden = !isShown[place]));
  for (const { cells } of rows) {
    for (const { cell, from, to } of cells) {
      const width = isShown.slice(from, to).filter(Boolean).length;
      cell.hidden = width === 0;
      cell.colSpan = Math.max(1, width);
    }
  }
};

/* Leaves the rows that have all words, and unfolds a type of which a form has the rest of them. */
const showRows = ({ table, rows }, terms, all) => {
  const has = (term, { names, says }) => finds(term, names, all) || (says && !all.some((name) => isInName(term, name)) && says.toLowerCase().includes(term));
  const rowOf = new Map(rows.map((one) => [one.row, one]));
  let group = null;
  let shown = 0;
  for (const body of table.tBodies) {
    if (body.matches(".group")) {
      group = body;
      group.hidden = terms.length > 0;
      continue;
    }
    const [head, ...inner] = [...body.rows].map((row) => rowOf.get(row));
    const isWhole = head.names.length === 0;
    const isFound = terms.every((term) => has(term, head));
    const isBegun = terms.some((term) => has(term, head));
    const found = inner.filter((one) => terms.every((term) => has(term, one)));
    body.hidden = !(isWhole || isFound || (isBegun && found.length > 0));
    for (const { row } of inner) row.hidden = !isFound && !found.some((one) => one.row === row);
    const fold = body.querySelector(".unfold");
    if (fold && terms.length) fold.checked = !isFound && found.length > 0;
    if (body.hidden || isWhole) continue;
    shown += isFound ? 1 : found.length;
    if (group) group.hidden = false;
  }
  return shown;
};

const setUpOperator = async () => {
  const answers = await dataOf("answers");
  const sheet = document.getElementById("answer");
  const says = document.getElementById("query-says");
  const matrices = [...document.querySelectorAll(".releases")].map(matrixOf);
  const names = [...new Set(matrices.flatMap(({ rows }) => rows.flatMap((one) => one.names)))];
  const operator = document.getElementById("headline").textContent;
  let current = null;

  const changed = (terms) => {
    const isRelease = (term) => matrices.some(({ releases }) => releases.some((release) => isOfRelease(term, release)));
    const isEngine = (term) => !names.some((name) => isInName(term, name)) && matrices.some(({ engine }) => engine.includes(term));
    const sought = terms.filter(isRelease);
    const engines = terms.filter((term) => !isRelease(term) && isEngine(term));
    const rest = terms.filter((term) => !sought.includes(term) && !engines.includes(term) && !finds(term, [operator], names));
    let shown = 0;
    for (const matrix of matrices) {
      const hasRelease = !sought.length || sought.every((term) => matrix.releases.some((release) => isOfRelease(term, release)));
      matrix.section.hidden = !hasRelease || (engines.length > 0 && !engines.some((term) => matrix.engine.includes(term)));
      showReleases(matrix, sought);
      const found = showRows(matrix, rest, names);
      if (!matrix.section.hidden) shown += found;
    }
    const missing = rest.filter((term) => !names.some((name) => finds(term, [name], names)));
    says.textContent = !terms.length
      ? ""
      : shown || !rest.length
        ? `${counted(shown, "row")} beside all checks.`
        : `No row has ${missing.length ? missing.join(" and ") : rest.join(" with ")}.`;
  };

  const query = setUpQuery(changed, () => matrices.find(({ section }) => !section.hidden)?.section.scrollIntoView());

  /* A cell of the grid with its matrix, its row and a release. */
  const placeOf = (cell, x = null) => {
    const matrix = matrices.find(({ table }) => table.contains(cell));
    const row = matrix.rows.find((one) => one.row === cell.parentElement);
    const found = row.cells.find((one) => one.cell === cell);
    const numbers = matrix.heads.map((_, number) => number).filter((number) => number >= found.from && number < found.to && !matrix.heads[number].hidden);
    const under = numbers.find((number) => {
      const box = matrix.heads[number].getBoundingClientRect();
      return x !== null && x >= box.left && x < box.right;
    });
    return { matrix, row, found, cell, number: under ?? numbers[0] };
  };

  const focusOn = (cell) => {
    if (current) current.tabIndex = -1;
    current = cell;
    cell.tabIndex = 0;
  };

  const unmark = () => document.querySelectorAll(".chosen").forEach((one) => one.classList.remove("chosen"));

  /* Scrolls a cell to where neither the heads nor the sheet cover it. */
  const reveal = ({ matrix, row, number }) => {
    const scroll = matrix.table.parentElement;
    const boxOf = (element) => element.getBoundingClientRect();
    const [box, head, corner] = [scroll, matrix.heads[number], matrix.table.tHead.rows[0].cells[0]].map(boxOf);
    if (head.left < corner.right || head.right > box.right) scroll.scrollLeft += head.left - corner.right - head.width;
    const isCovered = () => boxOf(row.row).top < corner.bottom || boxOf(row.row).bottom > box.bottom;
    if (isCovered()) scroll.scrollTop += boxOf(row.row).top - corner.bottom - corner.height;
    const bar = document.querySelector(".bar").offsetHeight;
    const { top, bottom } = boxOf(row.row);
    if (top < bar + corner.height || bottom > innerHeight - sheet.offsetHeight) scrollBy(0, top - bar - 2 * corner.height);
  };

  const choose = (place) => {
    unmark();
    place.cell.classList.add("chosen");
    place.matrix.heads[place.number].classList.add("chosen");
    focusOn(place.cell);
    sheet.replaceChildren(...explained(answers, place, leave));
    sheet.hidden = false;
    setUpCopying(sheet);
    sheet.scrollTop = 0;
    reveal(place);
    const { engine, releases } = place.matrix;
    const part = Object.fromEntries(PARTS.map((name) => [name, place.row.row.dataset[name] ?? ""]));
    query.keep({ engine, release: releases[place.number], ...part });
  };

  const leave = () => {
    sheet.hidden = true;
    unmark();
    current?.focus();
    query.keep({ engine: "", release: "", dtype: "", form: "", clause: "" });
  };

  const setUpGrid = ({ table, rows }) => {
    table.setAttribute("role", "grid");
    for (const { cells } of rows) for (const { cell } of cells) cell.tabIndex = -1;
    const [first] = rows[0].cells;
    first.cell.tabIndex = 0;
    const across = (place, step) => {
      const cells = place.row.cells.filter(({ cell }) => !cell.hidden);
      return cells[cells.findIndex(({ cell }) => cell === place.cell) + step]?.cell;
    };
    const along = (place, step) => {
      const shown = rows.filter(({ row }) => row.checkVisibility());
      const row = shown[shown.indexOf(place.row) + step];
      return row?.cells.find(({ from, to }) => place.number >= from && place.number < to)?.cell;
    };
    const moves = { ArrowLeft: [across, -1], ArrowRight: [across, 1], ArrowUp: [along, -1], ArrowDown: [along, 1] };
    table.addEventListener("keydown", (event) => {
      const cell = event.target.closest("td");
      if (!cell) return;
      const move = moves[event.key];
      if (move) {
        const next = move[0](placeOf(cell), move[1]);
        if (next) {
          focusOn(next);
          next.focus();
          if (!sheet.hidden) choose(placeOf(next));
        }
      } else if (event.key === "Enter" || event.key === " ") choose(placeOf(cell));
      else return;
      event.preventDefault();
    });
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell) choose(placeOf(cell, event.clientX));
    });
    table.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td:not([title])");
      if (cell?.dataset.counts) cell.title = countsOf(cell);
    });
  };
  matrices.forEach(setUpGrid);

  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !sheet.hidden) leave();
  });

  /* The cell that the fragment names. */
  const named = query.parameters();
  const matrix = matrices.find(({ engine }) => engine === named.get("engine"));
  const number = matrix?.releases.indexOf(named.get("release")) ?? -1;
  const row = matrix?.rows.find((one) => PARTS.every((part) => (one.row.dataset[part] ?? "") === (named.get(part) ?? "")));
  if (row && number >= 0) {
    const found = row.cells.find(({ from, to }) => number >= from && number < to);
    const fold = row.row.closest("tbody").querySelector(".unfold");
    if (fold && row.row.matches(".version")) fold.checked = true;
    choose({ matrix, row, found, cell: found.cell, number });
  }
  setUpScrolling(document);
  document.documentElement.classList.add("ready");
};

await setUpOperator();
