/* Queries: text to a tree, and a tree to a mask of the rows for which it holds. */

const FIELDS = {
  case: "part of a case id",
  operator: "an operator, with or without its version",
  dtype: "an element type of the data",
  form: "how the arguments came",
  clause: "part of a clause id",
  cause: "words of why it differs",
  deviation: "part of the id of a recorded deviation",
  verdict: "a verdict, of some target",
  target: "a target that ran the check",
  is: "different, disagreement, lowered, or a verdict or group",
};

class QueryError extends Error {
  constructor(message, { start, end }) {
    super(message);
    this.start = start;
    this.end = end;
  }
}

/* Words, field:word, quoted words and parentheses, each with its place in the text. */
const tokensOf = (text) => {
  const tokens = [];
  let at = 0;
  const readWord = () => {
    const token = { kind: "term", start: at, field: null, value: "", isQuoted: false };
    let isInside = false;
    for (; at < text.length && (isInside || !/[\s()]/.test(text[at])); at += 1) {
      if (text[at] === "\\" && isInside && at + 1 < text.length) token.value += text[(at += 1)];
      else if (text[at] === '"') {
        isInside = !isInside;
        token.isQuoted = true;
      } else if (text[at] === ":" && !isInside && token.field === null && token.value) {
        token.field = token.value;
        token.value = "";
      } else token.value += text[at];
    }
    token.end = at;
    if (isInside) throw new QueryError("the quote is not closed", token);
    return token;
  };
  while (at < text.length) {
    if (/\s/.test(text[at])) at += 1;
    else if ("()".includes(text[at])) tokens.push({ kind: text[at], start: at, end: (at += 1) });
    else {
      const token = readWord();
      const word = token.value.toLowerCase();
      const isOperator = ["and", "or", "not"].includes(word) && token.field === null && !token.isQuoted;
      tokens.push(isOperator ? { ...token, kind: word } : token);
    }
  }
  return tokens;
};

/* The tree of a query: { kind: "and" | "or", parts }, { kind: "not", part } or a term; null of an empty query. */
const parsed = (text) => {
  const tokens = tokensOf(text);
  let at = 0;
  const end = { kind: "end", start: text.length, end: text.length };
  const next = () => tokens[at] ?? end;
  const joined = (kind, parts) => (parts.length === 1 ? parts[0] : { kind, parts });
  const readUnary = () => {
    const token = next();
    at += 1;
    if (token.kind === "not") return { kind: "not", part: readUnary() };
    if (token.kind === "(") {
      const inner = readOr();
      if (next().kind !== ")") throw new QueryError("the parenthesis is not closed", token);
      at += 1;
      return inner;
    }
    if (token.kind === "term") {
      if (!token.value) throw new QueryError(`after ${token.field}: stands nothing to look for`, token);
      return token;
    }
    if (token.kind === "end") throw new QueryError("something is missing at the end", token);
    throw new QueryError(`a term is missing before “${token.kind}”`, token);
  };
  const readAnd = () => {
    const parts = [readUnary()];
    while (["and", "not", "(", "term"].includes(next().kind)) {
      if (next().kind === "and") at += 1;
      parts.push(readUnary());
    }
    return joined("and", parts);
  };
  const readOr = () => {
    const parts = [readAnd()];
    while (next().kind === "or") {
      at += 1;
      parts.push(readAnd());
    }
    return joined("or", parts);
  };
  if (!tokens.length) return null;
  const tree = readOr();
  if (next().kind !== "end") throw new QueryError("this parenthesis was never opened", next());
  return tree;
};

const normal = (text) => text.toLowerCase().replace(/\s+/g, "-");

/* How many letters have to change to make one word of another. */
const distance = (one, other) => {
  let row = [...one, ""].map((_, place) => place);
  for (let number = 1; number <= other.length; number += 1) {
    const above = row;
    row = [number];
    for (let place = 1; place <= one.length; place += 1) {
      const isSame = one[place - 1] === other[number - 1];
      row.push(Math.min(above[place] + 1, row[place - 1] + 1, above[place - 1] + (isSame ? 0 : 1)));
    }
  }
  return row[one.length];
};

const nearest = (names, text) => {
  const [best] = names
    .map((name) => [distance(normal(name), normal(text)), name])
    .sort(([one], [other]) => one - other);
  return best && best[0] <= Math.max(2, text.length / 3) ? `; did you mean ${best[1]}?` : "";
};

/* Flags for the names that are the text, or else for those that begin with it. */
const flagsOf = (names, term, noun) => {
  const wanted = normal(term.value);
  const found = names.some((name) => normal(name) === wanted)
    ? names.map((name) => normal(name) === wanted)
    : names.map((name) => name !== "" && normal(name).startsWith(wanted));
  if (!found.includes(true)) {
    throw new QueryError(`there is no ${noun} “${term.value}”${nearest(names.filter(Boolean), term.value)}`, term);
  }
  return found;
};

const verdictWords = (log) => [...new Set(log.verdicts.slice(1).flatMap(({ words }) => words))];

/* What may be said of a check after `is:` and after a target. */
const deedWords = (log) => [...verdictWords(log), "lowered"];

/* Flags for the verdicts that a word of these names, alone or as a group. */
const verdictFlags = (log, term, words = verdictWords(log)) => {
  const isMeant = flagsOf(words, term, "verdict");
  return log.verdicts.map((verdict, number) => number > 0 && verdict.words.some((word) => isMeant[words.indexOf(word)]));
};

const lowerCased = new WeakMap();

const containing = (texts, value) => {
  if (!lowerCased.has(texts)) lowerCased.set(texts, texts.map((text) => text.toLowerCase()));
  const wanted = value.toLowerCase();
  return lowerCased.get(texts).map((text) => text.includes(wanted));
};

/* Rows in which one of the columns holds a flagged number. */
const maskOfAny = (log, columns, flags) => {
  const mask = new Uint8Array(log.rows);
  const isMeant = Uint8Array.from(flags);
  for (const column of columns) {
    for (let row = 0; row < mask.length; row += 1) mask[row] |= isMeant[column[row]];
  }
  return mask;
};

const maskOfCases = (log, flags) => maskOfAny(log, [log.rowCases], flags);

/* Rows whose case has a flagged number in a column. */
const maskOfCaseColumn = (log, column, flags) => maskOfCases(log, Uint8Array.from(column, (number) => flags[number]));

const negated = (mask) => {
  const made = new Uint8Array(mask.length);
  for (let row = 0; row < mask.length; row += 1) made[row] = 1 - mask[row];
  return made;
};

const allOf = (masks) => {
  const made = masks[0].slice();
  for (const mask of masks) for (let row = 0; row < made.length; row += 1) made[row] &= mask[row];
  return made;
};

const anyOf = (masks) => {
  const made = masks[0].slice();
  for (const mask of masks) for (let row = 0; row < made.length; row += 1) made[row] |= mask[row];
  return made;
};

/* Rows in which one of these targets, given by flags, did what a word says. */
const maskOfDeed = (log, targets, term) => {
  const words = deedWords(log);
  const chosen = (columns) => columns.filter((_, target) => targets[target]);
  const mask = maskOfAny(log, chosen(log.verdictsOf), verdictFlags(log, term, words));
  if (!flagsOf(words, term, "verdict").at(-1)) return mask;
  return anyOf([mask, maskOfAny(log, chosen(log.loweredOf), [false, true])]);
};

const isOperator = (operator, value) => {
  const [name, wanted] = [operator.toLowerCase(), value.toLowerCase()];
  return [name, name.split(".").at(-1)].some((one) => one === wanted || one.startsWith(`${wanted}-`)) ||
    name.startsWith(`${wanted}.`);
};

const MASKS = {
  case: (log, { value }) => maskOfCases(log, containing(log.cases, value)),
  operator: (log, term) => {
    const flags = log.operators.map((name) => isOperator(name, term.value));
    if (!flags.includes(true)) {
      throw new QueryError(`there is no operator “${term.value}”${nearest(log.operators.filter(Boolean), term.value)}`, term);
    }
    return maskOfCaseColumn(log, log.caseOperators, flags);
  },
  dtype: (log, term) => maskOfCaseColumn(log, log.caseDtypes, flagsOf(log.dtypes, term, "element type")),
  form: (log, term) => maskOfAny(log, [log.rowForms], flagsOf(log.forms, term, "form")),
  clause: (log, { value }) => {
    const flags = log.clauseSets.map((clauses) => containing(clauses, value).includes(true));
    return maskOfCaseColumn(log, log.caseClauses, flags);
  },
  cause: (log, { value }) => maskOfAny(log, log.notesOf, containing(log.notes, value)),
  deviation: (log, { value }) =>
    maskOfAny(log, log.notesOf, containing(log.notes.map((note) => note.split(":", 1)[0]), value)),
  verdict: (log, term) => maskOfAny(log, log.verdictsOf, verdictFlags(log, term)),
  target: (log, term) => {
    const flags = flagsOf(log.targets, term, "target");
    return maskOfAny(log, log.verdictsOf.filter((_, target) => flags[target]), log.verdicts.map((_, n) => n > 0));
  },
  is: (log, term) => {
    if (normal(term.value) === "disagreement") return disagreement(log);
    const meant = normal(term.value) === "different" ? { ...term, value: "fail" } : term;
    return maskOfDeed(log, log.targets.map(() => true), meant);
  },
};

const disagreement = (log) => {
  const passed = maskOfAny(log, log.verdictsOf, log.verdicts.map(({ groups }) => groups.includes("conforming")));
  const failed = maskOfAny(log, log.verdictsOf, log.verdicts.map(({ groups }) => groups.includes("fail")));
  return allOf([passed, failed]);
};

/* What a target did, by a verdict or by words of what it said. */
const maskOfTarget = (log, term) => {
  const targets = log.targets.map((name) => name.toLowerCase().startsWith(term.field.toLowerCase()));
  if (!targets.includes(true)) {
    const known = [...Object.keys(FIELDS), ...log.targets.map((name) => name.split("@", 1)[0])];
    throw new QueryError(`there is no field or target “${term.field}”${nearest(known, term.field)}`, term);
  }
  if (deedWords(log).some((word) => word.startsWith(normal(term.value)))) return maskOfDeed(log, targets, term);
  const notes = containing(log.notes, term.value);
  if (notes.includes(true)) return maskOfAny(log, log.notesOf.filter((_, target) => targets[target]), notes);
  const hint = nearest(deedWords(log), term.value);
  throw new QueryError(`“${term.value}” is no verdict, and ${term.field} said no such thing${hint}`, term);
};

const maskOfText = (log, { value }) => {
  return anyOf([
    maskOfCases(log, containing(log.cases, value)),
    maskOfAny(log, [log.rowForms], containing(log.forms, value)),
    maskOfAny(log, log.notesOf, containing(log.notes, value)),
    maskOfAny(log, log.verdictsOf, log.verdicts.map(({ name, judged }) => `${name} ${judged}`.includes(value.toLowerCase()))),
  ]);
};

const maskOfTerm = (log, term) => {
  if (term.field === null) return maskOfText(log, term);
  return Object.hasOwn(MASKS, term.field.toLowerCase())
    ? MASKS[term.field.toLowerCase()](log, term)
    : maskOfTarget(log, term);
};

/* The rows for which a tree holds, as 0 and 1. Masks of terms are kept: a keystroke changes one of them. */
const maskOf = (log, tree, kept) => {
  if (tree.kind === "not") return negated(maskOf(log, tree.part, kept));
  if (tree.kind === "and") return allOf(tree.parts.map((part) => maskOf(log, part, kept)));
  if (tree.kind === "or") return anyOf(tree.parts.map((part) => maskOf(log, part, kept)));
  const key = JSON.stringify([tree.field, tree.value]);
  if (!kept.has(key)) {
    if (kept.size > 100) kept.clear();
    kept.set(key, maskOfTerm(log, tree));
  }
  return kept.get(key);
};
