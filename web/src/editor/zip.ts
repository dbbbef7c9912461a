const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++)
    c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
function crc32(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const byte of bytes) c = table[(c ^ byte) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

/** A record of a ZIP: little-endian numbers, each with its length in bytes. */
function record(
  ...fields: [value: number, bytes: 2 | 4][]
): Uint8Array<ArrayBuffer> {
  const view = new DataView(
    new ArrayBuffer(fields.reduce((sum, [, bytes]) => sum + bytes, 0)),
  );
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += bytes;
  }
  return new Uint8Array(view.buffer);
}

/**
 * Creates a ZIP of files, stored uncompressed because pictures are already compressed: .ZIP File
 * Format Specification (APPNOTE), 4.3.6. It is limited to 65,535 files and 4 GB in total.
 */
export async function zipOf(
  files: readonly File[],
  now = new Date(),
): Promise<Blob> {
  const time =
    (now.getHours() << 11) | (now.getMinutes() << 5) | (now.getSeconds() >> 1);
  const date =
    ((now.getFullYear() - 1980) << 9) |
    ((now.getMonth() + 1) << 5) |
    now.getDate();
  const parts: Uint8Array<ArrayBuffer>[] = [];
  const directory: Uint8Array<ArrayBuffer>[] = [];
  let offset = 0;
  const add = (
    to: Uint8Array<ArrayBuffer>[],
    ...more: Uint8Array<ArrayBuffer>[]
  ) => {
    to.push(...more);
    return more.reduce((sum, part) => sum + part.length, 0);
  };
  let listed = 0;
  for (const file of files) {
    const name = new TextEncoder().encode(file.name);
    const data = new Uint8Array(await file.arrayBuffer());
    // Version 2.0, UTF-8 names, stored without compression.
    const shared: [number, 2 | 4][] = [
      [20, 2],
      [0x0800, 2],
      [0, 2],
      [time, 2],
      [date, 2],
      [crc32(data), 4],
      [data.length, 4],
      [data.length, 4],
      [name.length, 2],
      [0, 2],
    ];
    listed += add(
      directory,
      record(
        [0x02014b50, 4],
        [20, 2],
        ...shared,
        [0, 2],
        [0, 2],
        [0, 2],
        [0, 4],
        [offset, 4],
      ),
      name,
    );
    offset += add(parts, record([0x04034b50, 4], ...shared), name, data);
  }
  const end = record(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [files.length, 2],
    [files.length, 2],
    [listed, 4],
    [offset, 4],
    [0, 2],
  );
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}
