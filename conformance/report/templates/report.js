"use strict";

/* What a report can do beyond being read. Without this script everything is still there to read. */
(() => {
  const causes = [...document.querySelectorAll("details.cause")];
  const cases = causes.flatMap((cause) =>
    [...cause.querySelectorAll("details.check")].map((check) => ({ cause, check })),
  );

  /* What a case is found by: target, verdict and cause from the heading above it, and its own line. */
  const textOf = ({ cause, check }) =>
    [...cause.querySelectorAll(":scope > summary > :is(h4, .badge, .name)"), check.querySelector("summary")]
      .map((element) => element.textContent)
      .join(" ")
      .toLowerCase();

  /* Filter: shows the cases whose target, verdict, cause, id, type or form hold every word. */
  const setUpFilter = (bar) => {
    const input = bar.querySelector("input");
    const output = bar.querySelector("output");
    const texts = cases.map(textOf);

    const apply = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      const met = new Set();
      let shown = 0;
      cases.forEach(({ cause, check }, number) => {
        const matches = words.every((word) => texts[number].includes(word));
        check.hidden = !matches;
        if (matches) {
          shown += 1;
          met.add(cause);
        }
      });
      for (const cause of causes) cause.hidden = words.length > 0 && !met.has(cause);
      for (const group of document.querySelectorAll("section.group")) {
        const own = [...group.querySelectorAll("details.cause")];
        group.hidden = own.length > 0 && own.every((cause) => cause.hidden);
      }
      output.textContent = words.length ? `${shown} of ${cases.length} cases shown` : "";
    };

    input.addEventListener("input", apply);
    for (const button of bar.querySelectorAll("[data-causes]")) {
      button.addEventListener("click", () => {
        for (const cause of causes) cause.open = button.dataset.causes === "open";
      });
    }
    bar.hidden = false;
    return () => {
      input.value = "";
      apply();
    };
  };

  /* Permalinks: a fragment that names a case opens it and all around it. */
  const setUpPermalinks = (clearFilter) => {
    const openNamed = () => {
      const named = document.getElementById(location.hash.slice(1));
      if (!(named instanceof HTMLDetailsElement)) return;
      if (named.hidden) clearFilter();
      for (let at = named; at; at = at.parentElement.closest("details")) at.open = true;
      named.scrollIntoView();
    };
    addEventListener("hashchange", openNamed);
    openNamed();
  };

  const bar = document.querySelector(".filter");
  setUpPermalinks(bar ? setUpFilter(bar) : () => {});
})();
