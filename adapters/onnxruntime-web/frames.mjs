// The frames of docs/reference/protocol.md: a prefix, a header in JSON, and the bytes of its attachments.

const PREFIX_BYTES = 16;
const MAGIC = "OPC1";

/** The messages of a stream, one after the other: `{header, attachments}`. */
export async function* framesFrom(stream) {
  const source = stream[Symbol.asyncIterator]();
  let held = Buffer.alloc(0);
  async function take(size) {
    const chunks = [held];
    let length = held.length;
    while (length < size) {
      const { value, done } = await source.next();
      if (done) return null;
      chunks.push(value);
      length += value.length;
    }
    const all = chunks.length > 1 ? Buffer.concat(chunks) : held;
    held = all.subarray(size);
    return all.subarray(0, size);
  }
  for (let prefix; (prefix = await take(PREFIX_BYTES)) !== null; ) {
    if (prefix.toString("latin1", 0, 4) !== MAGIC) throw new Error("the stream has no frame where one must start");
    const header = JSON.parse(await take(prefix.readUInt32LE(4)));
    const payload = await take(Number(prefix.readBigUInt64LE(8)));
    let start = 0;
    const attachments = (header.attachments ?? []).map((size) => payload.subarray(start, (start += size)));
    yield { header, attachments };
  }
}

/** A message as bytes. */
export function frameOf(header, attachments = []) {
  const text = Buffer.from(JSON.stringify({ ...header, attachments: attachments.map((item) => item.length) }));
  const payload = Buffer.concat(attachments);
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.write(MAGIC, "latin1");
  prefix.writeUInt32LE(text.length, 4);
  prefix.writeBigUInt64LE(BigInt(payload.length), 8);
  return Buffer.concat([prefix, text, payload]);
}
