import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { decoded, insistent } from "./pictures";

// A server that responds with one status after the other, repeating the last; "lost" is no response.
let answers: (number | "lost")[];
let asked: number[];
let online: (() => void)[];
const begin = 1_000_000;

const next = () => {
  asked.push(Date.now() - begin);
  return answers.length > 1 ? answers.shift()! : answers[0]!;
};
/** The parts of an `<img>` that this test needs. */
class Picture extends EventTarget {
  src = "";
  getAttribute = () => this.src;
  setAttribute = (_: string, src: string) => void (this.src = src);
  // A loaded picture is in the browser's cache, and is not requested again.
  decode = () =>
    answers[0] === 200 && asked.length
      ? Promise.resolve()
      : Promise.reject(new Error("no picture"));
}
beforeEach(() => {
  vi.useFakeTimers({ now: begin });
  vi.spyOn(Math, "random").mockReturnValue(0);
  [answers, asked, online] = [[200], [], []];
  vi.stubGlobal("Image", Picture);
  vi.stubGlobal("location", { href: "http://here/", origin: "http://here" });
  vi.stubGlobal(
    "addEventListener",
    (name: string, run: () => void) => name === "online" && online.push(run),
  );
  vi.stubGlobal("fetch", () => {
    const status = next();
    return status === "lost"
      ? Promise.reject(new TypeError("lost"))
      : Promise.resolve(
          new Response("", {
            status,
            headers: status === 503 ? { "Retry-After": "3" } : {},
          }),
        );
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const stop = () => new AbortController();

test("a picture is requested again after increasing delays, at least as long as the server says", async () => {
  answers = [503, 429, "lost", 200];
  const coming = decoded("/a.jpg", stop().signal);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(await coming).toBeInstanceOf(Picture);
  expect(asked).toEqual([0, 3000, 5000, 9000]);
});

test("it is requested at once when the network is back", async () => {
  answers = ["lost", "lost", "lost", "lost", "lost", 200];
  const coming = decoded("/a.jpg", stop().signal);
  await vi.advanceTimersByTimeAsync(15_500); // the next request would be at 31 s
  for (const run of online) run();
  await vi.advanceTimersByTimeAsync(1);
  await coming;
  expect(asked.at(-1)).toBe(15_500);
});

test.each([
  ["is not there", [404], 1],
  ["takes too long", [504], 4],
  ["is of another host and does not come", ["lost"], 4],
])("a picture that %s is given up", async (what, all, times) => {
  answers = all as typeof answers;
  const host = what.includes("host") ? "http://there" : "";
  const coming = decoded(`${host}/a.jpg`, stop().signal).catch(String);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await coming).toMatch(/did not come/);
  expect(asked).toHaveLength(times);
});

test("an element shows the picture once it has loaded, and reports a permanent failure", async () => {
  const image = new Picture() as unknown as HTMLImageElement;
  const lost = vi.fn();
  const leave = insistent(lost)(image);
  const shows = vi.spyOn(image, "setAttribute");
  image.src = "/a.jpg";
  answers = [503, 200];
  image.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(3000);
  expect(shows).toHaveBeenCalledWith("src", "/a.jpg");
  expect(lost).not.toHaveBeenCalled();

  answers = [404];
  image.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(0);
  expect(lost).toHaveBeenCalledWith("/a.jpg");

  // An element that was removed makes no more requests.
  answers = [503];
  image.dispatchEvent(new Event("error"));
  await vi.advanceTimersByTimeAsync(0);
  leave();
  const before = asked.length;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toHaveLength(before);
});
