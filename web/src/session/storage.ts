/** A storage in memory, which ends with the page. */
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

/** Puts a storage in memory where the browser refuses its own, as some do in a frame of another site. */
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
