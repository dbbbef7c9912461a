// Files with pages, and one that says where it was taken, made for journeys: no picture of somebody has to be kept for them.

/** A PDF with one page for each size in points, each page in a color of its own with its number written large. */
export function pdf(...sizes) {
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Count ${sizes.length} /Kids [${sizes.map((_, i) => `${4 + 2 * i} 0 R`).join(" ")}] >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
  ];
  for (const [i, [width, height]] of sizes.entries()) {
    const drawn = `${(i % 3 === 0) * 0.8 + 0.1} ${(i % 3 === 1) * 0.6 + 0.1} ${(i % 3 === 2) * 0.8 + 0.1} rg 36 36 ${width - 72} ${height - 72} re f 1 g BT /F1 160 Tf ${width / 2 - 44} ${height / 2 - 56} Td (${i + 1}) Tj ET`;
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${5 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      `<< /Length ${drawn.length} >>\nstream\n${drawn}\nendstream`,
    );
  }
  let text = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return String(at).padStart(10, "0");
  });
  const end = text.length;
  return Buffer.from(
    `${text}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.map((at) => `${at} 00000 n \n`).join("")}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${end}\n%%EOF\n`,
  );
}

/** A TIFF with one page for each size in pixels, a gradient of red, green or blue. */
export function tiff(...sizes) {
  const parts = [Buffer.from([0x49, 0x49, 42, 0, 8, 0, 0, 0])];
  let at = 8;
  for (const [i, [width, height]] of sizes.entries()) {
    const pixels = Buffer.alloc(width * height * 3, 40);
    for (let n = 0; n < width * height; n++)
      pixels[n * 3 + (i % 3)] = 80 + Math.floor(((n % width) / width) * 170);
    const tags = [
      [256, 4, 1, width],
      [257, 4, 1, height],
      [258, 3, 3, at + 2 + 10 * 12 + 4],
      [259, 3, 1, 1],
      [262, 3, 1, 2],
      [273, 4, 1, at + 2 + 10 * 12 + 4 + 6],
      [277, 3, 1, 3],
      [278, 4, 1, height],
      [279, 4, 1, pixels.length],
      [284, 3, 1, 1],
    ];
    const folder = Buffer.alloc(2 + tags.length * 12 + 4 + 6);
    folder.writeUInt16LE(tags.length);
    tags.forEach(([tag, type, count, value], n) => {
      const place = 2 + n * 12;
      folder.writeUInt16LE(tag, place);
      folder.writeUInt16LE(type, place + 2);
      folder.writeUInt32LE(count, place + 4);
      folder.writeUInt32LE(value, place + 8);
    });
    const next = at + folder.length + pixels.length + (pixels.length % 2);
    folder.writeUInt32LE(i + 1 < sizes.length ? next : 0, 2 + tags.length * 12);
    for (let n = 0; n < 3; n++)
      folder.writeUInt16LE(8, 2 + tags.length * 12 + 4 + n * 2);
    parts.push(folder, pixels, Buffer.alloc(pixels.length % 2));
    at = next;
  }
  return Buffer.concat(parts);
}

/** A JPEG that says in its EXIF where it was taken: degrees, minutes and hundredths of seconds, 12 m above the sea. */
export function placed(jpeg, [north, east]) {
  const rational = (...numbers) => numbers.flatMap((one) => [one, 100]);
  const angle = (signed) => {
    const degrees = Math.abs(signed);
    return rational(
      Math.floor(degrees) * 100,
      Math.floor((degrees % 1) * 60) * 100,
      Math.round(((degrees * 60) % 1) * 6000),
    );
  };
  const values = [angle(north), angle(east), rational(1200)];
  const entries = [
    [1, 2, 2, north < 0 ? "S\0\0\0" : "N\0\0\0"],
    [2, 5, 3, values[0]],
    [3, 2, 2, east < 0 ? "W\0\0\0" : "E\0\0\0"],
    [4, 5, 3, values[1]],
    [5, 1, 1, "\0\0\0\0"],
    [6, 5, 1, values[2]],
  ];
  const exif = Buffer.alloc(
    26 + 2 + entries.length * 12 + 4 + values.flat().length * 4,
  );
  exif.write("MM\0*", 0, "latin1");
  exif.writeUInt32BE(8, 4);
  exif.writeUInt16BE(1, 8); // one tag: where the position is
  exif.writeUInt16BE(0x8825, 10);
  exif.writeUInt16BE(4, 12);
  exif.writeUInt32BE(1, 14);
  exif.writeUInt32BE(26, 18);
  exif.writeUInt16BE(entries.length, 26);
  let far = 26 + 2 + entries.length * 12 + 4;
  entries.forEach(([tag, type, count, value], n) => {
    const place = 28 + n * 12;
    exif.writeUInt16BE(tag, place);
    exif.writeUInt16BE(type, place + 2);
    exif.writeUInt32BE(count, place + 4);
    if (typeof value === "string")
      return exif.write(value, place + 8, "latin1");
    exif.writeUInt32BE(far, place + 8);
    for (const number of value) far = exif.writeUInt32BE(number, far);
  });
  const segment = Buffer.concat([
    Buffer.from([0xff, 0xe1, 0, 0]),
    Buffer.from("Exif\0\0", "latin1"),
    exif,
  ]);
  segment.writeUInt16BE(segment.length - 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), segment, jpeg.subarray(2)]);
}
