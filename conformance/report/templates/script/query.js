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
  target: "a target that was asked",
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

const verdictWords = (log) => [
  ...new Set(log.verdicts.slice(1).flatMap(({ name, groups }) => [normal(name), ...groups])),
];

/* What may be said of a check after `is:` and after a target. */
const deedWords = (log) => [...verdictWords(log), "lowered"];

/* Flags for the verdicts that a word of these names, alone or as a group. */
const verdictFlags = (log, term, words = verdictWords(log)) => {
  const isMeant = flagsOf(words, term, "verdict");
  return log.verdicts.map(
    ({ name, groups }, number) => number > 0 && [normal(name), ...groups].some((word) => isMeant[words.indexOf(word)]),
  );
};

const lowerCased = new WeakMap();

const containing = (texts, value) => {
  if (!lowerCased.has(texts)) lowerCased.set(texts, texts.map((text) => text.toLowerCase()));
  const wanted = value.toLowerCase();
  return lowerCased.get(texts).map((text) => text.includes(wanted));
};

const maskWhere = (log, holds) => {
  const mask = new Uint8Array(log.rows);
  for (let row = 0; row < log.rows; row += 1) mask[row] = holds(row) ? 1 : 0;
  return mask;
};

const maskOfCases = (log, flags) => maskWhere(log, (row) => flags[log.rowCases[row]]);

/* Rows in which one of the columns holds a flagged number. */
const maskOfAny = (log, columns, flags) => {
  const mask = new Uint8Array(log.rows);
  for (const column of columns) {
    for (let row = 0; row < log.rows; row += 1) if (flags[column[row]]) mask[row] = 1;
  }
  return mask;
};

/* Rows in which one of these targets, given by flags, did what a word says. */
const maskOfDeed = (log, targets, term) => {
  const words = deedWords(log);
  const chosen = (columns) => columns.filter((_, target) => targets[target]);
  const mask = maskOfAny(log, chosen(log.verdictsOf), verdictFlags(log, term, words));
  if (!flagsOf(words, term, "verdict").at(-1)) return mask;
  const wasLowered = maskOfAny(log, chosen(log.loweredOf), [false, true]);
  return mask.map((flag, row) => flag | wasLowered[row]);
};

const isOperator = (operator, value) => {
  const [name, wanted] = [operator.toLowerCase(), value.toLowerCase()];
  return [name, name.split(".").at(-1)].some((one) => one === wanted || one.startsWith(`${wanted}-`)) ||
    name.startsWith(`${wanted}.`);
};

const MASKS = {
  case: (log, { value }) => maskOfCases(log, containing(log.cases, value)),
  operator: (log, term) => {
    const operators = [...new Set(log.cases.map(operatorOf))];
    if (!operators.some((name) => isOperator(name, term.value))) {
      throw new QueryError(`there is no operator “${term.value}”${nearest(operators, term.value)}`, term);
    }
    return maskOfCases(log, log.cases.map((name) => isOperator(operatorOf(name), term.value)));
  },
  dtype: (log, term) => {
    const flags = flagsOf(log.dtypes, term, "element type");
    return maskWhere(log, (row) => flags[log.caseDtypes[log.rowCases[row]]]);
  },
  form: (log, term) => {
    const flags = flagsOf(log.forms, term, "form");
    return maskWhere(log, (row) => flags[log.rowForms[row]]);
  },
  clause: (log, { value }) => {
    const flags = log.clauseSets.map((clauses) => containing(clauses, value).includes(true));
    return maskWhere(log, (row) => flags[log.caseClauses[log.rowCases[row]]]);
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
  const passed = maskOfAny(log, log.verdictsOf, log.verdicts.map(({ name }) => name === "pass"));
  const failed = maskOfAny(log, log.verdictsOf, log.verdicts.map(({ groups }) => groups.includes("fail")));
  return passed.map((flag, row) => flag & failed[row]);
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
  const masks = [
    maskOfCases(log, containing(log.cases, value)),
    maskOfAny(log, [log.rowForms], containing(log.forms, value)),
    maskOfAny(log, log.notesOf, containing(log.notes, value)),
    maskOfAny(log, log.verdictsOf, containing(log.verdicts.map(({ name }) => name), value)),
  ];
  return masks.reduce((all, mask) => all.map((flag, row) => flag | mask[row]));
};

const maskOfTerm = (log, term) => {
  if (term.field === null) return maskOfText(log, term);
  return Object.hasOwn(MASKS, term.field.toLowerCase())
    ? MASKS[term.field.toLowerCase()](log, term)
    : maskOfTarget(log, term);
};

/* The rows for which a tree holds, as 0 and 1. Masks of terms are kept: a keystroke changes one of them. */
const maskOf = (log, tree, kept) => {
  if (tree.kind === "not") return maskOf(log, tree.part, kept).map((flag) => 1 - flag);
  if (tree.kind === "and" || tree.kind === "or") {
    const masks = tree.parts.map((part) => maskOf(log, part, kept));
    const isAnd = tree.kind === "and";
    return masks.reduce((all, mask) => all.map((flag, row) => (isAnd ? flag & mask[row] : flag | mask[row])));
  }
  const key = JSON.stringify([tree.field, tree.value]);
  if (!kept.has(key)) {
    if (kept.size > 100) kept.clear();
    kept.set(key, maskOfTerm(log, tree));
  }
  return kept.get(key);
};
