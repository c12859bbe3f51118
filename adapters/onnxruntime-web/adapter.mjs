// ONNX Runtime in WebAssembly: every call comes as an ONNX model, which becomes a session. Speaks docs/reference/protocol.md.

import console from "node:console";
import process from "node:process";

import { framesFrom, frameOf } from "./frames.mjs";
import { bytesOf, NotExpressible, tensorFrom } from "./tensors.mjs";

const FATAL_ONLY = 4;
const NOT_IMPLEMENTED = "ERROR_CODE: 9,";
// What the JavaScript around ONNX Runtime says of types that it has no arrays for.
const NO_SUCH_ARRAY = "unsupported data type: ";
// What ONNX Runtime says, with the status of a refusal, where a type or a version of the format is unknown to it.
const MISSING = ["is not currently registered or supported", "Unsupported model IR version"];
// Not `strided` nor `transposed`: a tensor lies in one piece here, and the adapter would have to copy.
const FORMS = [
  "constant",
  "runtime",
  "dynamic",
  "runtime-dynamic",
  "dynamic-rank",
  "runtime-dynamic-rank",
  "axis-from-end",
  "second-call",
  "same-call-twice",
  "second-arguments",
  "after-relu",
  "before-concat",
  "constant-folded",
];

// Standard output is the protocol's alone; ONNX Runtime logs through the console.
globalThis.console = new console.Console(process.stderr, process.stderr);

async function serve() {
  const frames = framesFrom(process.stdin);
  const { header: hello } = (await frames.next()).value;
  const ort = await start(hello.options);
  if (ort === null) return;
  for await (const { header, attachments } of frames) {
    const [answer, parts] = await answered(ort, hello.options, header, attachments);
    send({ type: "answer", id: header.id, ...answer }, parts);
  }
}

async function start(options) {
  let ort;
  try {
    ort = await import("onnxruntime-web/wasm");
  } catch (error) {
    send({ type: "failed", message: `${error.message}; run \`npm ci\` in ${import.meta.dirname}` });
    return null;
  }
  ort.env.logLevel = "fatal";
  ort.env.wasm.numThreads = 1;
  send({
    type: "ready",
    protocol: 1,
    framework: "ONNX Runtime Web",
    version: ort.env.versions.web,
    devices: ["wasm"],
    operators: ["onnx.*", "openvino.Split-1", "openvino.VariadicSplit-1"], // those of OpenVINO arrive lowered
    forms: FORMS,
    onnx_models: ["onnx", "openvino"],
    controls: ["after-relu", "before-concat", "constant-folded"],
    details: { node: process.versions.node, threads: "1", optimization: options.optimization },
  });
  return ort;
}

/** What became of a request, as the header of an answer and its attachments. */
async function answered(ort, options, call, attachments) {
  if (call.model === null) {
    return [{ outcome: "not expressible", message: "ONNX Runtime takes ONNX models, and this call has none" }];
  }
  const run_ns = [];
  let stage = "preparing";
  let session;
  try {
    for (const { constant } of call.inputs) {
      // Texts that JavaScript cannot take as an input it cannot give as an output either.
      if (constant?.dtype === "string") tensorFrom(ort, constant, attachments[constant.data]);
    }
    const began = process.hrtime.bigint();
    session = await ort.InferenceSession.create(Uint8Array.from(attachments[call.model]), {
      executionProviders: ["wasm"],
      graphOptimizationLevel: options.optimization,
      logSeverityLevel: FATAL_ONLY,
    });
    const prepare_ns = Number(process.hrtime.bigint() - began);
    stage = "running";
    const { runs, parts } = await ran(ort, session, call.runs, attachments, run_ns);
    return [{ outcome: "produced", runs, ran_on: "wasm", prepare_ns, run_ns }, parts];
  } catch (error) {
    return [outcomeOf(error, stage, run_ns.length)];
  } finally {
    await session?.release();
  }
}

/** The outputs of each run and their bytes; the time of each is put into `run_ns` when it has been answered. */
async function ran(ort, session, asked, attachments, run_ns) {
  const [runs, parts] = [[], []];
  for (const given of asked) {
    const feeds = Object.entries(given).map(([name, item]) => [name, tensorFrom(ort, item, attachments[item.data])]);
    const began = process.hrtime.bigint();
    const outputs = await session.run(Object.fromEntries(feeds));
    run_ns.push(Number(process.hrtime.bigint() - began));
    runs.push(
      session.outputNames.map((name) => {
        const [described, data] = bytesOf(outputs[name]);
        return { ...described, data: parts.push(data) - 1 };
      }),
    );
  }
  return { runs, parts };
}

/** What an error means. One without a status of ONNX Runtime's is the adapter's own; a trap of WebAssembly ends all. */
function outcomeOf(error, stage, answered) {
  if (error instanceof WebAssembly.RuntimeError) throw error;
  const message = String(error.message ?? error);
  if (error instanceof NotExpressible || message.startsWith(NO_SUCH_ARRAY)) return { outcome: "not expressible", message };
  if (!message.includes("ERROR_CODE: ")) return { outcome: "failed", message: `while ${stage}: ${message}` };
  if ([NOT_IMPLEMENTED, ...MISSING].some((words) => message.includes(words))) return { outcome: "unsupported", message };
  return { outcome: "rejected", stage, answered, message };
}

function send(header, attachments) {
  process.stdout.write(frameOf(header, attachments));
}

await serve();
