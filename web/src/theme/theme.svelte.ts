export type Theme = "system" | "dark" | "light";
const place = "safelight.theme";

class ThemeChoice {
  #choice = $state<Theme>(asTheme(localStorage.getItem(place)));

  get choice(): Theme {
    return this.#choice;
  }
  set choice(theme: Theme) {
    localStorage.setItem(place, theme);
    this.#apply(theme);
  }

  /** Applies the stored theme and follows changes in other tabs. */
  start(): void {
    this.#apply(this.#choice);
    addEventListener(
      "storage",
      (event) => event.key === place && this.#apply(asTheme(event.newValue)),
    );
  }

  #apply(theme: Theme): void {
    this.#choice = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
  }
}

const asTheme = (text: string | null): Theme =>
  text === "dark" || text === "light" ? text : "system";

export const theme = new ThemeChoice();
