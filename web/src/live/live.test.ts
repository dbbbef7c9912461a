import { expect, test } from "vitest";
import { effectsOn, type Change } from "./live";

const changed = (path: string, isFile = true): Change => ({
  kind: "CHANGED",
  path,
  isFile,
});
const removed = (path: string): Change => ({
  kind: "REMOVED",
  path,
  isFile: false,
});
const knows = (path: string) => path === "trip/a.jpg";

test.each([
  { name: "a new picture", changes: [changed("trip/b.jpg")], reload: true },
  {
    name: "a picture that is shown",
    changes: [changed("trip/a.jpg")],
    touched: ["trip/a.jpg"],
  },
  {
    name: "a picture that went away",
    changes: [removed("trip/a.jpg")],
    removed: ["trip/a.jpg"],
  },
  {
    name: "one that was changed, then went away",
    changes: [changed("trip/a.jpg"), removed("trip/a.jpg")],
    removed: ["trip/a.jpg"],
  },
  {
    name: "one that went away and came back",
    changes: [removed("trip/a.jpg"), changed("trip/a.jpg")],
    reload: true,
  },
  {
    name: "another folder",
    changes: [changed("home/a.jpg"), removed("home/b.jpg")],
  },
  {
    name: "a folder of a similar name",
    changes: [changed("trips/a.jpg")],
    recursive: true,
  },
  {
    name: "deeper, when only the folder is shown",
    changes: [changed("trip/day/a.jpg")],
  },
  {
    name: "deeper, when all below is shown",
    changes: [changed("trip/day/a.jpg")],
    recursive: true,
    reload: true,
  },
  { name: "a folder in it", changes: [changed("trip/day", false)] },
  {
    name: "a folder below that went away",
    changes: [removed("trip/day")],
    recursive: true,
    removed: ["trip/day"],
  },
  {
    name: "anything",
    changes: [{ kind: "RELOAD", path: "", isFile: false } satisfies Change],
    reload: true,
  },
])(
  "$name",
  ({
    changes,
    recursive = false,
    removed = [],
    touched = [],
    reload = false,
  }) => {
    const effects = effectsOn("trip", recursive, knows, changes);
    expect({
      removed: [...effects.removed],
      touched: [...effects.touched],
      reload: effects.reload,
    }).toEqual({ removed, touched, reload });
  },
);

test("in the root, everything is inside if subfolders are included", () => {
  expect(effectsOn("", true, knows, [changed("x/y.jpg")]).reload).toBe(true);
  expect(effectsOn("", false, knows, [changed("x/y.jpg")]).reload).toBe(false);
  expect(effectsOn("", false, knows, [changed("y.jpg")]).reload).toBe(true);
});
