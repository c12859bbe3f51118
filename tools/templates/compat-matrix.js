/* The matrix of an engine: its rows and cells, and which of them a query leaves. */

const PARTS = ["dtype", "form", "clause"];

/* A table with its releases, and of each cell the first release and their number. */
const matrixOf = (table) => {
  const heads = [...table.tHead.rows[0].cells].slice(1);
  const cols = [...table.querySelectorAll("col")].slice(1);
  const rows = [...table.querySelectorAll("tbody tr:not(.group tr)")].map((row) => {
    let from = 0;
    const cells = [...row.cells].slice(1).map((cell) => {
      const one = { cell, from, to: from + cell.colSpan };
      cell.tabIndex = -1;
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

/* Makes a cell the one of its matrix that the Tab key leads to. */
const stopAt = (matrix, cell) => {
  if (matrix.stop) matrix.stop.tabIndex = -1;
  matrix.stop = cell;
  cell.tabIndex = 0;
};
