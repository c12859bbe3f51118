/* The index: the query leaves the operator versions that have what it names, and shows the releases that it names. */

const setUpIndex = async () => {
  const releasesOf = await dataOf("engines");
  const rows = [...document.querySelectorAll(".versions tbody tr")].map((row) => {
    const parts = row.dataset.parts.split(" ");
    return { row, operator: row.dataset.operator, parts, link: row.querySelector("a"), page: row.querySelector("a").getAttribute("href") };
  });
  const operators = rows.map(({ operator }) => operator);
  const parts = [...new Set(rows.flatMap((one) => one.parts))];
  const engines = Object.keys(releasesOf);
  const says = document.getElementById("query-says");

  const kindOf = (term) => {
    if (engines.some((engine) => releasesOf[engine].some((release) => isOfRelease(term, release)))) return "release";
    if (operators.some((name) => isInName(term, name)) || !parts.some((name) => finds(term, [name], parts))) {
      return engines.some((engine) => isOfEngine(term, engine)) && !operators.some((name) => isInName(term, name)) ? "engine" : "operator";
    }
    return "part";
  };

  /* The newest release of an engine that the words name; its newest one where they name none. */
  const releaseOf = (engine, terms) => {
    const named = releasesOf[engine].filter((release) => terms.some((term) => isOfRelease(term, release)));
    return { release: (named.length ? named : releasesOf[engine]).at(-1), isNamed: named.length > 0 };
  };

  const textAt = (series, engine, release) => {
    let text = "";
    for (const one of releasesOf[engine]) {
      if (Object.hasOwn(series, one)) text = series[one];
      if (one === release) return text;
    }
    return text;
  };

  const showReleases = (table, named, wanted) => {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      if (!place) return;
      const engine = head.dataset.engine;
      const { release, isNamed } = releaseOf(engine, named);
      const isHidden = (wanted.length > 0 && !wanted.some((term) => isOfEngine(term, engine))) || (named.length > 0 && !isNamed);
      head.querySelector(".release").textContent = release;
      head.hidden = isHidden;
      for (const { cells } of table.tBodies[0].rows) {
        const badge = cells[place].querySelector(".answer");
        cells[place].hidden = isHidden;
        if (!badge) continue;
        const text = textAt(JSON.parse(cells[place].dataset.series), engine, release) || "no answer";
        badge.textContent = text;
        badge.className = /^[a-z]( |$)/.test(text) ? `answer of-${text[0]}` : "answer";
      }
    });
  };

  const changed = (terms) => {
    const of = { release: [], engine: [], operator: [], part: [] };
    for (const term of terms) of[kindOf(term)].push(term);
    const rest = terms.filter((term) => !of.operator.includes(term)).join(" ");
    for (const { row, operator, parts: own, link, page } of rows) {
      const isFound = of.operator.every((term) => finds(term, [operator], operators)) && of.part.every((term) => finds(term, own, parts));
      row.hidden = !isFound;
      link.setAttribute("href", rest ? `${page}#${new URLSearchParams({ find: rest })}` : page);
    }
    for (const table of document.querySelectorAll(".versions")) {
      showReleases(table, of.release, of.engine);
      const isEmpty = [...table.tBodies[0].rows].every((row) => row.hidden) || [...table.tHead.rows[0].cells].slice(1).every((head) => head.hidden);
      table.closest("section").hidden = isEmpty;
    }
    const shown = rows.filter(({ row }) => row.checkVisibility());
    const first = terms.length && shown.length ? ` Enter opens ${shown[0].operator}${rest ? ` with ${rest}` : ""}.` : "";
    const about = of.part.length && shown.length ? ` Answers here are of all checks, not of ${of.part.join(" ")} alone.` : "";
    says.textContent = `${shown.length} of ${counted(rows.length, "operator version")}.${about}${first}`;
  };

  setUpQuery({ changed, entered: () => rows.find(({ row }) => row.checkVisibility())?.link.click() }).read();
  setUpScrolling(document);
  document.documentElement.classList.add("ready");
};

await setUpIndex();
