import { request } from "../api/request";
import type { FilePages } from "../gallery/pages.svelte";
import { Placed } from "./documents";
import { compareFiles } from "./order";

/** The maximum number of pages searched on each side for a picture whose sort key equals that of others. */
const patience = 10;
const pageSize = 100;

/** The index of a path in a list, whose pages are loaded as needed; -1 if it is not found. */
export async function locate(files: FilePages, path: string): Promise<number> {
  await files.ready;
  const here = files.indexOf(path);
  return here >= 0 ? here : search(files, path);
}

// A binary search over the list's pages in the order of the files. Among equal sort keys, the pages are
// searched one after the other.
async function search(files: FilePages, path: string): Promise<number> {
  await files.counted;
  if (files.wanted.album) return through(files, path);
  const { file } = await request(Placed, { path }).catch(() => ({
    file: null,
  }));
  if (!file) return -1;
  const { sort, order } = files.wanted;
  const compare = (index: number) =>
    compareFiles(file, files.at(index)!, sort, order);
  const look = async (page: number) => {
    const from = page * pageSize;
    const to = Math.min(from + pageSize, files.count);
    await files.need(from, to);
    return files.at(from) && files.at(to - 1) ? { from, to } : null;
  };
  let [low, high] = [0, Math.ceil(files.count / pageSize) - 1];
  while (low <= high) {
    const page = (low + high) >> 1;
    const part = await look(page);
    const at = files.indexOf(path);
    if (at >= 0 || !part) return at;
    if (compare(part.from) < 0) high = page - 1;
    else if (compare(part.to - 1) > 0) low = page + 1;
    else return beside(files, page, look, path);
  }
  return -1;
}

// An album may have a custom order, so its pages are searched from the start.
async function through(files: FilePages, path: string): Promise<number> {
  for (let from = 0; from < files.count; from += pageSize) {
    await files.need(from, Math.min(from + pageSize, files.count));
    const at = files.indexOf(path);
    if (at >= 0 || !files.at(from)) return at;
  }
  return -1;
}

async function beside(
  files: FilePages,
  page: number,
  look: (page: number) => Promise<unknown>,
  path: string,
): Promise<number> {
  for (let step = 1; step <= patience; step++)
    for (const near of [page - step, page + step]) {
      if (near < 0 || near * pageSize >= files.count) continue;
      await look(near);
      const at = files.indexOf(path);
      if (at >= 0) return at;
    }
  return -1;
}
