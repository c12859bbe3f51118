/* The page: a fragment says what is shown, and keys lead through it. */

const START = "#conformance";

/* Shows the report or a case, as the fragment says; a case leads back to where the report was left. */
const setUpViews = (log, finder) => {
  const report = document.getElementById("report");
  const view = document.getElementById("case");
  const reportTitle = document.title;
  let left = { fragment: START, scrolled: 0, focused: null };
  let newest = 0;

  const showReport = (element) => {
    const isBack = report.hidden && (location.hash || START) === left.fragment;
    view.hidden = true;
    view.replaceChildren();
    report.hidden = false;
    document.title = reportTitle;
    finder.measure();
    if (isBack) {
      scrollTo(0, left.scrolled);
      left.focused?.focus({ preventScroll: true });
    } else element?.scrollIntoView();
  };

  const partsOf = async (parameters) => {
    const row = rowOf(log, parameters.get("case"), parameters.get("form"));
    if (row < 0) return missingView(left.fragment);
    const rows = finder.isAsked() && finder.rows().includes(row) ? finder.rows() : finder.differing();
    return caseView(log, row, log.targets.indexOf(parameters.get("target") ?? ""), left.fragment, rows);
  };

  const showCase = async (parameters) => {
    const mine = (newest += 1);
    const parts = await partsOf(parameters);
    if (mine !== newest) return;
    report.hidden = true;
    view.hidden = false;
    view.replaceChildren(...parts);
    const title = document.getElementById("case-title");
    document.title = `${title.textContent} · ${reportTitle}`;
    setUpCopying(view);
    setUpScrolling(view);
    scrollTo(0, 0);
    title.focus({ preventScroll: true });
  };

  const show = async () => {
    const parameters = new URLSearchParams(location.hash.slice(1));
    if (parameters.has("case")) {
      await showCase(parameters);
      return;
    }
    newest += 1;
    const isFinding = parameters.has("find") || parameters.has("sort");
    if (isFinding && finder.fragment() !== location.hash) finder.show(parameters);
    const named = document.getElementById(isFinding ? "checks" : location.hash.slice(1));
    if (named instanceof HTMLDetailsElement) named.open = true;
    showReport(named);
  };

  addEventListener("hashchange", (event) => {
    if (!report.hidden) {
      const fragment = new URL(event.oldURL).hash || START;
      left = { fragment, scrolled: scrollY, focused: document.activeElement };
    }
    show();
  });
  addEventListener("keydown", (event) => {
    if (leadsToQuery(event)) {
      event.preventDefault();
      if (report.hidden) location.hash = finder.fragment();
      showReport(document.getElementById("checks"));
      finder.focus();
    } else if (!view.hidden && !event.altKey && !event.target.closest(".scroll, pre, select, input")) {
      view.querySelector(`[data-step="${CSS.escape(event.key)}"]`)?.click();
    }
  });
  return show;
};

const setUpDetails = (details) => {
  setUpScrolling(details);
  setUpCopying(details);
  if (!details.matches("details.cause:not(.used)")) return;
  details.classList.add("used");
  setUpSlices(details);
  setUpSharedScrolling(details);
};

const setUpPage = async () => {
  const log = await loadLog();
  for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
  for (const element of document.querySelectorAll(".unscripted")) element.hidden = true;
  const finder = setUpFinder(log, (fragment) => (location.hash = fragment));
  finder.show(new URLSearchParams(location.hash.slice(1)));
  await setUpViews(log, finder)();
  setUpCopying(document);
  document.addEventListener("toggle", (event) => setUpDetails(event.target), { capture: true });
  document.querySelectorAll("details[open]").forEach(setUpDetails);
  setUpScrolling(document);
  performance.mark("ready");
  document.documentElement.classList.add("ready");
  setTimeout(finder.prepare);
};

await setUpPage();
