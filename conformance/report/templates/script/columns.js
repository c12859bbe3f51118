/* The log: all checks as columns, and the details of those that need explaining, inflated when they are opened. */

const ARRAYS = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array };
const NOT_RUN = { name: "", judged: "", sign: " ", colour: "none", sentence: "this check did not run on this target", groups: [], severity: 99 };

const loadLog = async () => {
  const bytes = await inflated("columns");
  let at = bytes.indexOf(10) + 1;
  const log = JSON.parse(new TextDecoder().decode(bytes.subarray(0, at - 1)));
  for (const [name, width, length] of log.columns) {
    log[name] = new ARRAYS[width](bytes.slice(at, at + width * length).buffer);
    at += width * length;
  }
  log.verdicts.unshift(NOT_RUN);
  for (const verdict of log.verdicts) verdict.words = [...new Set([verdict.name, verdict.judged].map(normal).concat(verdict.groups))];
  log.verdictsOf = log.targets.map((_, target) => log[`verdicts${target}`]);
  log.notesOf = log.targets.map((_, target) => log[`notes${target}`]);
  log.loweredOf = log.targets.map((_, target) => log[`lowered${target}`]);
  log.blockOf = new Map(log.details.map(([row, target, block]) => [row * log.targets.length + target, block]));
  return log;
};

const caseOf = (log, row) => log.cases[log.rowCases[row]];
const formOf = (log, row) => log.forms[log.rowForms[row]];
const dtypeOf = (log, row) => log.dtypes[log.caseDtypes[log.rowCases[row]]];
const operatorOf = (log, row) => log.operators[log.caseOperators[log.rowCases[row]]];
const isInGroup = (log, row, target, group) => log.verdicts[log.verdictsOf[target][row]].groups.includes(group);

/* The fragment that opens a row, at one target if one is given. */
const rowLink = (log, row, target = null) => {
  const named = { case: caseOf(log, row), form: formOf(log, row) };
  if (target !== null) named.target = log.targets[target];
  return `#${new URLSearchParams(named)}`;
};

/* The row of a case, in a form if one is given; -1 where the log has none. */
const rowOf = (log, name, form) => {
  const number = log.cases.indexOf(name);
  const wanted = form === null ? -1 : log.forms.indexOf(form);
  if (number < 0) return -1;
  return log.rowCases.findIndex((one, row) => one === number && (form === null || log.rowForms[row] === wanted));
};

/* The call, the result, and the recorded deviation of a check as elements, and its script as text where the page holds
   one; null where it holds nothing of the check. */
const detailsOf = async (log, row, target) => {
  const block = log.blockOf.get(row * log.targets.length + target);
  if (block === undefined) return null;
  const all = JSON.parse(new TextDecoder().decode(await inflated(`details-${block}`)));
  const [, , call, result, deviation, script] = all.find(([itsRow, itsTarget]) => itsRow === row && itsTarget === target);
  return { call: built(call), parts: [result, deviation].filter((part) => part !== null).map(built), script };
};
