/* The list of checks: only the rows that are in view exist, whatever their number. */

const ROW_PIXELS = 30;
const SPARE_ROWS = 6;

/* Makes a grid of an element. `sortBy` is called with the name of a column, `open` with a row's fragment. */
const setUpList = (log, grid, sortBy, open) => {
  const columns = ["case", "form", "dtype", ...log.targets];
  const heads = columns.map((name) => make("button", { type: "button", "data-sort": name }, name));
  const head = make(
    "div",
    { class: "row head", role: "row", "aria-rowindex": "1" },
    ...heads.map((button) => make("div", { role: "columnheader" }, button)),
  );
  const body = make("div", { class: "rows", role: "rowgroup" });
  grid.append(make("div", { role: "rowgroup", class: "heads" }, head), body);
  grid.style.setProperty("--targets", String(log.targets.length));
  grid.setAttribute("aria-colcount", String(columns.length));

  const drawn = new Map();
  let rows = [];
  let active = 0;

  const rowElement = (place) => {
    const row = rows[place];
    const link = (href, ...children) => make("a", { href, tabindex: "-1" }, ...children);
    const cell = (...children) => make("div", { role: "gridcell" }, ...children);
    const made = make(
      "div",
      { class: "row", role: "row", id: `row-${place}`, "aria-rowindex": String(place + 2) },
      cell(link(rowLink(log, row), caseOf(log, row))),
      cell(formOf(log, row)),
      cell(dtypeOf(log, row)),
      ...log.targets.map((_, target) => {
        const verdict = log.verdictsOf[target][row];
        return cell(verdict ? link(rowLink(log, row, target), badgeOf(log, verdict)) : "");
      }),
    );
    made.style.setProperty("top", `${place * ROW_PIXELS}px`);
    return made;
  };

  const draw = () => {
    const first = Math.max(0, Math.floor(grid.scrollTop / ROW_PIXELS) - SPARE_ROWS);
    const last = Math.min(rows.length, first + Math.ceil(grid.clientHeight / ROW_PIXELS) + 2 * SPARE_ROWS);
    for (const [place, element] of drawn) {
      if (place < first || place >= last) {
        element.remove();
        drawn.delete(place);
      }
    }
    for (let place = first; place < last; place += 1) {
      if (!drawn.has(place)) {
        drawn.set(place, rowElement(place));
        body.append(drawn.get(place));
      }
      drawn.get(place).classList.toggle("active", place === active);
    }
    if (drawn.has(active)) grid.setAttribute("aria-activedescendant", `row-${active}`);
    else grid.removeAttribute("aria-activedescendant");
  };

  const move = (place) => {
    active = Math.max(0, Math.min(rows.length - 1, place));
    const top = active * ROW_PIXELS;
    const room = grid.clientHeight - 2 * ROW_PIXELS;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top > grid.scrollTop + room) grid.scrollTop = top - room;
    draw();
  };

  const page = () => Math.max(1, Math.floor(grid.clientHeight / ROW_PIXELS) - 2);
  const keys = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => move(active - 1),
    PageDown: () => move(active + page()),
    PageUp: () => move(active - page()),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => rows.length && open(rowLink(log, rows[active])),
  };
  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid || event.altKey || event.ctrlKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  grid.addEventListener("scroll", () => requestAnimationFrame(draw), { passive: true });
  addEventListener("resize", () => requestAnimationFrame(draw));
  head.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sort]");
    if (button) sortBy(button.dataset.sort);
  });
  body.addEventListener("click", (event) => {
    if (event.target.closest("a")) return;
    const element = event.target.closest(".row");
    if (element) open(rowLink(log, rows[Number(element.id.slice("row-".length))]));
  });

  return {
    show: (shown, sorting) => {
      rows = shown;
      active = 0;
      drawn.clear();
      body.replaceChildren();
      body.style.setProperty("height", `${rows.length * ROW_PIXELS}px`);
      grid.setAttribute("aria-rowcount", String(rows.length + 1));
      for (const button of heads) {
        const isSorted = button.dataset.sort === sorting.column;
        button.parentElement.setAttribute("aria-sort", isSorted ? (sorting.isDown ? "descending" : "ascending") : "none");
      }
      grid.scrollTop = 0;
      draw();
    },
    draw,
  };
};
