// Packs files into a tar file. Contents are not read: the browser does that when it sends the file.

export interface PackedFile {
  path: string;
  file: File;
}

const BLOCK = 512;
const NAME_BYTES = 100;
const encoder = new TextEncoder();

/** Returns a tar file with these files, whose modes are unknown (0). */
export function tarOf(files: readonly PackedFile[]): Blob {
  const parts: BlobPart[] = [];
  for (const { path, file } of files) {
    const name = encoder.encode(path);
    if (name.length > NAME_BYTES) parts.push(...longName(name));
    parts.push(header(name, file.size, "0", file.lastModified), file, padding(file.size));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return new Blob(parts, { type: "application/x-tar" });
}

/** A pax header that gives the next entry a long name. */
function longName(name: Uint8Array): BlobPart[] {
  const rest = 7 + name.length; // " path=" and the line break
  let size = rest + String(rest).length;
  if (String(size).length !== String(rest).length) size += 1;
  const record = new Uint8Array([...encoder.encode(`${size} path=`), ...name, 0x0a]);
  return [header(encoder.encode("././@PaxHeader"), record.length, "x", 0), record, padding(record.length)];
}

function header(name: Uint8Array, size: number, flag: string, modified: number): Uint8Array<ArrayBuffer> {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  block.set(name.slice(0, NAME_BYTES), 0);
  put(100, octal(0, 8));
  put(108, octal(0, 8));
  put(116, octal(0, 8));
  put(124, octal(size, 12));
  put(136, octal(Math.floor(modified / 1000), 12));
  put(148, " ".repeat(8));
  put(156, flag);
  put(257, "ustar\x0000");
  const sum = block.reduce((total, byte) => total + byte, 0);
  put(148, `${sum.toString(8).padStart(6, "0")}\0 `);
  return block;
}

const octal = (value: number, width: number): string =>
  `${Math.max(0, value)
    .toString(8)
    .padStart(width - 1, "0")}\0`;

const padding = (size: number) => new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
