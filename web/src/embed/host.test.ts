import { expect, test } from "vitest";
import { hostOf } from "./host";

const listed = ["https://cms.example", "http://localhost:3000"];
const self = {};
const [parent, opener] = [{ postMessage() {} }, { postMessage() {} }];
const framed = { self, parent, opener: null };
const opened = { self, parent: self, opener };

test.each([
  {
    name: "a listed origin that frames",
    origin: "https://cms.example",
    place: framed,
    want: { origin: "https://cms.example", window: parent, opened: false },
  },
  {
    name: "a listed origin that opened a window",
    origin: "http://localhost:3000",
    place: opened,
    want: { origin: "http://localhost:3000", window: opener, opened: true },
  },
  {
    name: "another spelling",
    origin: "https://CMS.example/",
    place: framed,
    want: { origin: "https://cms.example", window: parent, opened: false },
  },
  {
    name: "another origin",
    origin: "https://attacker.example",
    place: framed,
    want: "stranger",
  },
  {
    name: "another port",
    origin: "http://localhost:3001",
    place: framed,
    want: "stranger",
  },
  {
    name: "another scheme",
    origin: "http://cms.example",
    place: framed,
    want: "stranger",
  },
  {
    name: "a listed origin with more",
    origin: "https://cms.example/page",
    place: framed,
    want: "stranger",
  },
  {
    name: "a listed origin as a user name",
    origin: "https://cms.example@attacker.example",
    place: framed,
    want: "stranger",
  },
  { name: "every origin", origin: "*", place: framed, want: "stranger" },
  { name: "an opaque origin", origin: "null", place: framed, want: "stranger" },
  { name: "no origin", origin: null, place: framed, want: "nobody" },
  {
    name: "nobody around it",
    origin: "https://cms.example",
    place: { self, parent: self, opener: null },
    want: "nobody",
  },
])("$name", ({ origin, place, want }) => {
  expect(hostOf(origin, listed, place)).toEqual(want);
});
