/** An in-memory storage that lasts as long as the page. */
export function memory(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (n) => [...kept.keys()][n] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, String(value)),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

/** Installs an in-memory storage if the browser denies access to its own, as some do in a third-party frame. */
export function ensureStorage(where: object): void {
  for (const name of ["localStorage", "sessionStorage"]) {
    try {
      void (where as Record<string, Storage>)[name]!.length;
    } catch {
      Object.defineProperty(where, name, {
        value: memory(),
        configurable: true,
      });
    }
  }
}

if (typeof window !== "undefined") ensureStorage(window);
