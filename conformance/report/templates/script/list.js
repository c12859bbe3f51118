/* The list of checks: only the rows that are in view exist, whatever their number; scrolling fills them anew. */

const ROW_PIXELS = 30;
const SPARE_ROWS = 4;

/* A row without a check. Its case is a link of its own, and so is the verdict of each target. */
const emptyRow = (log) => {
  const links = [make("a", { tabindex: "-1" }), ...log.targets.map(() => make("a", { tabindex: "-1", hidden: "" }))];
  const [form, dtype] = ["form", "dtype"].map((kind) => make("div", { role: "gridcell", class: kind }));
  const verdicts = log.targets.map((name, target) =>
    make("div", { role: "gridcell", class: "at", "data-name": name.split("@", 1)[0] }, links[target + 1]),
  );
  const element = make("div", { class: "row", role: "row" }, make("div", { role: "gridcell", class: "of" }, links[0]), form, dtype, ...verdicts);
  return { element, links, form, dtype, place: -1, verdicts: new Uint8Array(log.targets.length) };
};

const setText = (element, text) => {
  if (element.textContent !== text) element.textContent = text;
};

/* Makes a grid of an element. `sortBy` is called with the name of a column, `open` with a row's fragment, and `leave`
   when a key leads out of the list at its top. */
const setUpList = (log, grid, sortBy, open, leave) => {
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
  const badges = log.verdicts.map((_, verdict) => badgeOf(log, verdict));
  const ofTargets = log.targets.map((target) => `&${new URLSearchParams({ target })}`);

  const drawn = [];
  let rows = new Uint32Array(0);
  let active = 0;
  let pixels = ROW_PIXELS;
  let height = 0;
  let scrolled = 0;

  const fill = (item, place) => {
    const row = rows[place];
    const link = rowLink(log, row);
    item.place = place;
    item.element.id = `row-${place}`;
    item.element.setAttribute("aria-rowindex", String(place + 2));
    item.element.style.top = `${place * pixels}px`;
    item.links[0].href = link;
    item.links[0].title = caseOf(log, row);
    setText(item.links[0], caseOf(log, row));
    setText(item.form, formOf(log, row));
    setText(item.dtype, dtypeOf(log, row));
    ofTargets.forEach((part, target) => {
      const verdict = log.verdictsOf[target][row];
      const shown = item.links[target + 1];
      shown.href = link + part;
      if (item.verdicts[target] === verdict) return;
      item.verdicts[target] = verdict;
      shown.hidden = verdict === 0;
      shown.replaceChildren(badges[verdict].cloneNode(true));
    });
  };

  /* Elements of rows that left the view at one end go to the other end, so that they stand in the order of the rows. */
  const turn = (first) => {
    const steps = drawn.length ? first - drawn[0].place : 0;
    if (Math.abs(steps) >= drawn.length) return;
    for (let step = 0; step < steps; step += 1) {
      drawn.push(drawn.shift());
      body.append(drawn.at(-1).element);
    }
    for (let step = 0; step > steps; step -= 1) {
      drawn.unshift(drawn.pop());
      body.prepend(drawn[0].element);
    }
  };

  const draw = () => {
    const first = Math.max(0, Math.floor(grid.scrollTop / pixels) - SPARE_ROWS);
    const last = Math.min(rows.length, first + Math.ceil(height / pixels) + 2 * SPARE_ROWS);
    turn(first);
    while (drawn.length > last - first) drawn.pop().element.remove();
    while (drawn.length < last - first) {
      drawn.push(emptyRow(log));
      body.append(drawn.at(-1).element);
    }
    drawn.forEach((item, number) => {
      if (item.place !== first + number) fill(item, first + number);
      item.element.classList.toggle("active", item.place === active);
    });
    if (first <= active && active < last) grid.setAttribute("aria-activedescendant", `row-${active}`);
    else grid.removeAttribute("aria-activedescendant");
  };

  const drawAnew = () => {
    body.style.height = `${rows.length * pixels}px`;
    for (const item of drawn) item.place = -1;
    grid.scrollTop = scrolled * pixels;
    draw();
  };

  /* Reads from the style how high the list and a row are: at first, after it was hidden, and when the window changes. */
  const measure = () => {
    height = grid.clientHeight;
    pixels = Number.parseFloat(getComputedStyle(grid).getPropertyValue("--row")) || ROW_PIXELS;
    drawAnew();
  };

  const move = (place) => {
    active = Math.max(0, Math.min(rows.length - 1, place));
    const top = active * pixels;
    const room = height - head.offsetHeight - pixels;
    if (top < grid.scrollTop) grid.scrollTop = top;
    else if (top > grid.scrollTop + room) grid.scrollTop = top - room;
    draw();
  };

  const page = () => Math.max(1, Math.floor(height / pixels) - 2);
  const keys = {
    ArrowDown: () => move(active + 1),
    ArrowUp: () => (active === 0 ? leave() : move(active - 1)),
    PageDown: () => move(active + page()),
    PageUp: () => move(active - page()),
    Home: () => move(0),
    End: () => move(rows.length - 1),
    Enter: () => rows.length && open(rowLink(log, rows[active])),
    Escape: leave,
  };
  grid.addEventListener("keydown", (event) => {
    if (event.target !== grid || event.altKey || event.ctrlKey || event.metaKey || !Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  const scroll = () => {
    scrolled = grid.scrollTop / pixels;
    requestAnimationFrame(draw);
  };
  grid.addEventListener("scroll", scroll, { passive: true });
  addEventListener("resize", () => requestAnimationFrame(measure));
  head.addEventListener("click", (event) => {
    const button = event.target.closest("[data-sort]");
    if (button) sortBy(button.dataset.sort);
  });
  body.addEventListener("click", (event) => {
    const element = event.target.closest(".row");
    if (!element) return;
    active = Number(element.id.slice("row-".length));
    grid.focus({ preventScroll: true });
    if (!event.target.closest("a")) open(rowLink(log, rows[active]));
  });

  return {
    show: (shown, sorting) => {
      rows = shown;
      active = scrolled = 0;
      grid.setAttribute("aria-rowcount", String(rows.length + 1));
      for (const button of heads) {
        const isSorted = button.dataset.sort === sorting.column;
        button.parentElement.setAttribute("aria-sort", isSorted ? (sorting.isDown ? "descending" : "ascending") : "none");
      }
      drawAnew();
    },
    measure,
    focus: () => rows.length > 0 && grid.focus(),
  };
};
