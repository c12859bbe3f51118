/* The words of a query: each names a release, an engine, or a part of an operator version. */

const termsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);

/* Whether a word is the beginning of a release's version, as 1.24 is of 1.24.1. */
const isOfRelease = (term, release) => /^\d/.test(term) && (release === term || release.startsWith(`${term}.`));

/* Whether a word is a name or a whole word of one: int4 is not in uint4. */
const isInName = (term, name) => {
  const lowered = name.toLowerCase();
  return lowered === term || lowered.split(/[\s._-]+/).includes(term);
};

/* Whether one of some names has a word; where no name of the page has it whole, a part of a name is enough. */
const finds = (term, names, all) => {
  const isWhole = all.some((name) => isInName(term, name));
  return names.some((name) => (isWhole ? isInName(term, name) : name.toLowerCase().includes(term)));
};

const dataOf = async (name) => JSON.parse(new TextDecoder().decode(await inflated(name)));

/* The query of a page: `changed` is called with its words, and the fragment keeps them. */
const setUpQuery = (changed, entered) => {
  const input = document.getElementById("query");
  const parameters = () => new URLSearchParams(location.hash.slice(1));
  const read = () => {
    input.value = parameters().get("find") ?? "";
    changed(termsOf(input.value));
  };
  const write = () => {
    changed(termsOf(input.value));
    keep({ find: input.value.trim() });
  };
  /* The fragment with some parameters replaced; empty ones are left out. */
  const keep = (named) => {
    const kept = parameters();
    for (const [name, value] of Object.entries(named)) value ? kept.set(name, value) : kept.delete(name);
    history.replaceState(history.state, "", kept.size ? `#${kept}` : location.pathname);
  };
  input.addEventListener("input", write);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Enter") entered();
  });
  document.getElementById("query-clear").addEventListener("click", () => {
    input.value = "";
    write();
    input.focus();
  });
  addEventListener("keydown", (event) => {
    if (!leadsToQuery(event)) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
  addEventListener("hashchange", read);
  for (const element of document.querySelectorAll(".scripted")) element.hidden = false;
  read();
  return { keep, parameters };
};
