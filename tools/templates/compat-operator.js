/* The page of an operator version: the query leaves rows and releases, and a cell that is chosen is explained. */

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
    const isEngine = (term) => !names.some((name) => isInName(term, name)) && matrices.some(({ engine }) => isOfEngine(term, engine));
    const sought = terms.filter(isRelease);
    const engines = terms.filter((term) => !isRelease(term) && isEngine(term));
    const rest = terms.filter((term) => !sought.includes(term) && !engines.includes(term) && !finds(term, [operator], names));
    let shown = 0;
    for (const matrix of matrices) {
      const hasRelease = !sought.length || sought.every((term) => matrix.releases.some((release) => isOfRelease(term, release)));
      matrix.section.hidden = !hasRelease || (engines.length > 0 && !engines.some((term) => isOfEngine(term, matrix.engine)));
      showReleases(matrix, sought);
      const found = showRows(matrix, rest, names);
      if (!matrix.section.hidden) shown += found;
      stopAt(matrix, matrix.rows[0].cells.find(({ cell }) => !cell.hidden).cell);
    }
    const missing = rest.filter((term) => !names.some((name) => finds(term, [name], names)));
    says.textContent = !terms.length
      ? ""
      : shown || !rest.length
        ? `${counted(shown, "row")} beside all checks.`
        : `No row has ${missing.length ? missing.join(" and ") : rest.join(" with ")}.`;
  };

  const entered = () => {
    const cell = matrices.flatMap(({ rows }) => rows).filter(({ row }) => row.checkVisibility()).at(0)?.cells.find((one) => !one.cell.hidden)?.cell;
    if (cell) focusOn(placeOf(cell));
  };

  /* Explains the cell that a fragment names. */
  const moved = (named) => {
    const matrix = matrices.find(({ engine }) => engine === named.get("engine"));
    const number = matrix?.releases.indexOf(named.get("release")) ?? -1;
    const row = matrix?.rows.find((one) => PARTS.every((part) => (one.row.dataset[part] ?? "") === (named.get(part) ?? "")));
    if (!row || number < 0) return;
    const found = row.cells.find(({ from, to }) => number >= from && number < to);
    const fold = row.row.closest("tbody").querySelector(".unfold");
    if (fold && row.row.matches(".version")) fold.checked = true;
    choose({ matrix, row, found, cell: found.cell, number });
  };

  const query = setUpQuery({ changed, entered, moved });

  /* A cell of the grid with its matrix, its row and a release: the one under the pointer, else that of the cell before. */
  const placeOf = (cell, x = null) => {
    const matrix = matrices.find(({ table }) => table.contains(cell));
    const row = matrix.rows.find((one) => one.row === cell.parentElement);
    const found = row.cells.find((one) => one.cell === cell);
    const numbers = matrix.heads.map((_, number) => number).filter((number) => number >= found.from && number < found.to && !matrix.heads[number].hidden);
    const under = numbers.find((number) => {
      const box = matrix.heads[number].getBoundingClientRect();
      return x !== null && x >= box.left && x < box.right;
    });
    const same = current?.matrix === matrix && numbers.includes(current.number) ? current.number : numbers[0];
    return { matrix, row, found, cell, number: under ?? same };
  };

  const focusOn = (place) => {
    current = place;
    stopAt(place.matrix, place.cell);
    place.cell.focus({ preventScroll: !sheet.hidden });
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
    sheet.replaceChildren(...explained(answers, place, leave));
    sheet.hidden = false;
    focusOn(place);
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
    current?.cell.focus();
    query.keep({ engine: "", release: "", dtype: "", form: "", clause: "" });
  };

  const setUpGrid = ({ table, rows, engine }) => {
    table.setAttribute("role", "grid");
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
        if (next) (sheet.hidden ? focusOn : choose)(placeOf(next));
      } else if (event.key === "Enter" || event.key === " ") choose(placeOf(cell));
      else return;
      event.preventDefault();
    });
    table.addEventListener("click", (event) => {
      const cell = event.target.closest("td");
      if (cell) choose(placeOf(cell, event.clientX));
    });
    table.addEventListener("pointerover", (event) => {
      const cell = event.target.closest("td:not([title]), th[scope=row]:not([title])");
      if (!cell) return;
      if (cell.matches("th")) cell.title = saidOf(answers, engine, { row: cell.parentElement });
      else if (cell.dataset.counts) cell.title = countsOf(cell);
    });
  };
  matrices.forEach(setUpGrid);

  sheet.addEventListener("toggle", () => setUpCopying(sheet), { capture: true });
  addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !sheet.hidden) leave();
  });

  query.read();
  setUpScrolling(document);
  document.documentElement.classList.add("ready");
};

await setUpOperator();
