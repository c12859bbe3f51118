/* What a cell says: its counts, since when, what deviates, and the commands that show it. */

const countsOf = (cell) => {
  const [deviating, judged, asked] = cell.dataset.counts.split("/").map(Number);
  const share = `${deviating.toLocaleString("en")} of ${judged.toLocaleString("en")} judged checks deviate${deviating === 1 ? "s" : ""}`;
  const unjudged = asked ? `None of ${counted(asked, "check")} was judged` : "No check asks for it";
  return judged ? `${share}; ${asked.toLocaleString("en")} asked` : unjudged;
};

/* A word of a command for a POSIX shell. */
const quoted = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'"'"'`)}'`);

const partText = ({ dtype, form, clause }) =>
  [clause && `clause ${clause}`, dtype && `element type ${dtype}`, form && `form ${form}`].filter(Boolean).join(", ") || "all checks";

/* Since when an engine supports what a row is of. */
const saidOf = (answers, engine, { row }) => answers.says[engine][keyOf(row)];

/* The name of a row in the answers. */
const keyOf = (row) => PARTS.map((part) => row.dataset[part] ?? "").join("\n");

/* The causes that a cell may have: of its engine and release, and not worse than its letter. */
const causesOf = (answers, engine, release, letter, { dtype, form }) => {
  const order = "mcwar";
  const isOfPage = (name) => name.startsWith(`${answers.operator}/`);
  const fits = ({ case: name, form: own }) => [isOfPage(name), own === form, name.includes(`dtype=${dtype},`)].filter(Boolean).length;
  return answers.deviations
    .filter((one) => one.engine === engine && one.checks[release] && order.indexOf(one.letter) >= order.indexOf(letter))
    .sort((one, other) => fits(other) - fits(one) || order.indexOf(one.letter) - order.indexOf(other.letter));
};

/* The recorded faults that a cell counts. */
const findingsOf = (answers, engine, release, { row }) =>
  row.dataset.refused ? [] : answers.findings.filter((one) => one.engine === engine && one.rows.includes(keyOf(row)) && one.releases.includes(release));

const findingItem = ({ letter, id, what, upstream }) =>
  make("li", {}, make("span", { class: `answer of-${letter}` }, letter), ` ${what} `, make("small", { class: "muted" }, `recorded as ${id}`), ...(upstream ? [" ", make("a", { href: upstream, rel: "noopener noreferrer" }, "reported upstream")] : []));

const causeItem = (one, release, target, isOne) => {
  const of = one.operators.length > 1 ? ` of ${one.operators.join(", ")}` : "";
  const upstream = one.upstream ? [" ", make("a", { href: one.upstream, rel: "noopener noreferrer" }, "reported upstream")] : [];
  return make(
    "details",
    { class: "cause", ...(isOne ? { open: "" } : {}) },
    make("summary", {}, make("span", { class: `answer of-${one.letter}` }, one.letter), ` ${one.what || one.cause} `, make("small", { class: "muted" }, `${counted(one.checks[release], "check")}${of}`)),
    make("p", {}, one.what ? `${one.severity}, recorded as ${one.cause}` : one.severity, ...upstream, ". An example: ", make("code", {}, one.case), `, ${one.form}`),
    make("pre", { class: "command" }, `conformance run -t ${target} --case ${quoted(one.case)} --form ${quoted(one.form)} --output answer`),
  );
};

/* What a letter says in a row; calls with a type that is not listed are refused or accepted, and nothing is supported. */
const meaningOf = (answers, letter, row) => (row.dataset.refused && letter === "y" ? "refused" : `${letter} ${answers.letters[letter]}`);

/* The elements that explain a cell of a matrix; `leave` closes them. */
const explained = (answers, { matrix, row, found, cell, number }, leave) => {
  const { engine, releases } = matrix;
  const release = releases[number];
  const { dtype = "", form = "", clause = "" } = row.row.dataset;
  const facts = answers.engines[engine][release];
  const letter = cell.dataset.counts ? cell.className.match(/\bof-(.)/)[1] : "";
  const close = make("button", { type: "button", class: "close" }, "Close");
  close.addEventListener("click", leave);
  const title = make("h2", { id: "answer-title" }, `${engine} ${release}: `, make("span", { class: `answer of-${letter}` }, letter ? meaningOf(answers, letter, row.row) : "not asked"));
  const range = found.to - found.from > 1 ? `the same from ${releases[found.to - 1]} to ${releases[found.from]}` : "no release beside it answers so";
  const parts = [close, title, make("p", { class: "part" }, make("b", {}, partText({ dtype, form, clause })), row.says ? ` ${row.says}` : "")];
  if (row.row.dataset.refused) parts.push(make("p", {}, "This version does not list the type. The calls have it nevertheless, and must be refused."));
  if (!letter) return [...parts, make("p", {}, `The published checks do not ask this release for it; ${range}.`)];
  parts.push(make("p", {}, `${countsOf(cell)}; ${range}. ${saidOf(answers, engine, row)}.`));
  const options = Object.entries({ clause, form }).map(([name, text]) => (text ? ` --${name} ${quoted(text)}` : "")).join("");
  const query = dtype && !dtype.includes("=") ? [" Its query ", make("code", {}, `dtype:${dtype}`), " leaves those of this type."] : [];
  parts.push(
    make("pre", { class: "command" }, `conformance run -t ${facts.target} --operator ${quoted(answers.operator)}${options} --output answer`),
    make("p", { class: "muted" }, "answer/report.html has each check with its message, or its values element by element.", ...query),
  );
  const findings = findingsOf(answers, engine, release, row);
  if (findings.length) {
    parts.push(make("h3", {}, "Recorded faults that their scripts show in this release"), make("ul", { class: "findings" }, ...findings.map(findingItem)));
  }
  if (Number(cell.dataset.counts.split("/")[0])) {
    const causes = causesOf(answers, engine, release, letter, { dtype, form });
    parts.push(
      make("h3", {}, dtype || form || clause ? "Causes in this release, in whichever type, form or clause" : "Causes in this release"),
      ...causes.map((one) => causeItem(one, release, facts.target, causes.length === 1)),
      make("p", { class: "muted" }, "Named are wrong results and worse, and what is recorded; the report has the rest."),
    );
  }
  if (facts.evidence) {
    parts.push(make("h3", {}, "Evidence"), make("p", {}, "The digest of all answers of this release to the operator version: ", make("code", { class: "digest" }, facts.evidence)));
    parts.push(make("details", {}, make("summary", {}, "Get it again"), make("pre", { class: "command" }, facts.again.join("\n"))));
  }
  return parts;
};
