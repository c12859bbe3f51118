/* The words of a query: each names a release, an engine, or a part of an operator version. */

const termsOf = (text) => text.toLowerCase().split(/[\s@]+/).filter(Boolean);

/* Whether a word is the beginning of a release's version, as 1.24 is of 1.24.1. */
const isOfRelease = (term, release) => /^\d+[.]|^\d{4}/.test(term) && (release === term || release.startsWith(`${term}.`));

/* Whether a word is a name or a whole word of one: int4 is not in uint4. */
const isInName = (term, name) => {
  const lowered = name.toLowerCase();
  return lowered === term || lowered.split(/[\s._=-]+/).includes(term);
};

const isOfEngine = (term, engine) => isInName(term, engine) || (term.length > 2 && engine.toLowerCase().startsWith(term));

/* Whether one of some names has a word; where no name of the page has it whole, a part of a name is enough. */
const finds = (term, names, all) => {
  const isWhole = all.some((name) => isInName(term, name));
  return names.some((name) => (isWhole ? isInName(term, name) : name.toLowerCase().includes(term)));
};

const dataOf = async (name) => JSON.parse(new TextDecoder().decode(await inflated(name)));

/* The query of a page, in its fragment with other parameters: `changed` is called with its words, `entered` when a reader
   leaves it with Enter, and `moved` with the parameters of a fragment that was followed. */
const setUpQuery = ({ changed, entered, moved = () => {} }) => {
  const input = document.getElementById("query");
  let kept = new URLSearchParams();
  const read = () => {
    const fragment = location.hash.slice(1);
    if (fragment && !fragment.includes("=")) return;
    kept = new URLSearchParams(fragment);
    input.value = kept.get("find") ?? "";
    changed(termsOf(input.value));
    moved(kept);
  };
  /* Replaces parameters of the fragment; empty ones are left out. */
  const keep = (named) => {
    for (const [name, value] of Object.entries(named)) value ? kept.set(name, value) : kept.delete(name);
    history.replaceState(history.state, "", kept.size ? `#${kept}` : location.pathname);
  };
  const write = () => {
    changed(termsOf(input.value));
    keep({ find: input.value.trim() });
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
  return { keep, read };
};
