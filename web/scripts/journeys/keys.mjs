// Pages for somebody who has no mouse.

// What does not touch the page: finding, waiting and reading.
const harmless =
  /^(locator|getBy\w+|filter|first|last|nth|waitFor\w*|count|textContent|inputValue|isChecked|getAttribute|url|goto|keyboard|on|once|then)$/;
const finds = /^(locator|getBy\w+|filter|first|last|nth)$/;
const bare = new WeakMap();
const bareOf = (one) => bare.get(one) ?? one;

/** A page, or what is found in it, whose only input are keys: everything that points, or puts the focus somewhere by itself, throws. */
export function handsOff(target) {
  const proxy = new Proxy(target, {
    get(_, name) {
      const value = target[name];
      if (typeof name === "symbol") return value;
      if (!harmless.test(name))
        throw new Error(`${name} needs more than a keyboard`);
      if (typeof value !== "function") return value;
      return (...given) => {
        const answer = value.apply(target, given.map(bareOf));
        return finds.test(name) ? handsOff(answer) : answer;
      };
    },
  });
  bare.set(proxy, target);
  return proxy;
}

const describe = () => {
  const one = document.activeElement;
  return `${one?.tagName.toLowerCase()} ${one?.getAttribute("aria-label") ?? one?.textContent?.trim().slice(0, 40) ?? ""}`;
};

/** Moves the focus by a key, the Tab key if no other is said, until `target` has it. Throws when it does not come there. */
export async function reach(page, target, key = "Tab") {
  const [wanted, seen] = [bareOf(target), []];
  await wanted.waitFor();
  for (let n = 0; n < 150; n++) {
    if (await wanted.evaluate((one) => one === document.activeElement)) return;
    await page.keyboard.press(key);
    seen.push(await bareOf(page).evaluate(describe));
  }
  throw new Error(
    `${key} does not lead to ${wanted}, but to ${[...new Set(seen)].join(", ")}`,
  );
}

/** Moves the focus to a button, a link or a menu item, and presses Enter. */
export async function push(page, target, key = "Tab") {
  await reach(page, target, key);
  await page.keyboard.press("Enter");
}

/** Moves the focus to a field, and types over what is in it. */
export async function write(page, target, text) {
  await reach(page, target);
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(text);
}
