// Tensors of the protocol and of ONNX Runtime. Elements move as bytes: no number is ever read, so no bit changes.

const ARRAYS = {
  bool: Uint8Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  float16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  float32: Float32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  float64: Float64Array,
};

/** The call cannot be put to ONNX Runtime in JavaScript. */
export class NotExpressible extends Error {}

/** ONNX Runtime's tensor with these elements. */
export function tensorFrom(ort, { dtype, shape }, data) {
  if (!shape.every(Number.isSafeInteger)) throw new NotExpressible("JavaScript's numbers do not hold a dim exactly");
  if (dtype === "string") return new ort.Tensor("string", stringsFrom(data, size(shape)), shape);
  const array = ARRAYS[dtype];
  if (array === undefined) throw new NotExpressible(`ONNX Runtime's JavaScript interface passes no tensors of ${dtype}`);
  return new ort.Tensor(dtype, new array(Uint8Array.from(data).buffer), shape);
}

/** What the protocol says of a tensor, and its bytes. */
export function bytesOf(tensor) {
  const described = { dtype: tensor.type, shape: [...tensor.dims] };
  if (tensor.type === "string") return [described, bytesOfStrings(tensor.data)];
  const { buffer, byteOffset, byteLength } = tensor.data;
  return [described, Buffer.from(buffer, byteOffset, byteLength)];
}

function size(shape) {
  return shape.reduce((product, dim) => product * dim, 1);
}

function stringsFrom(data, count) {
  let start = 4 * count;
  return Array.from({ length: count }, (_, index) => {
    const text = data.toString("utf8", start, (start += data.readUInt32LE(4 * index)));
    if (text.includes("\0")) throw new NotExpressible("ONNX Runtime's JavaScript interface cuts strings at a NUL");
    return text;
  });
}

function bytesOfStrings(strings) {
  const texts = strings.map((text) => Buffer.from(text));
  const lengths = Buffer.alloc(4 * texts.length);
  texts.forEach((text, index) => lengths.writeUInt32LE(text.length, 4 * index));
  return Buffer.concat([lengths, ...texts]);
}
