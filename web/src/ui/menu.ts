import type { Snippet } from "svelte";

/** One line of a menu. `checked` makes it one of a choice. */
export type Item =
  | {
      label: string;
      icon?: string;
      key?: string;
      danger?: boolean;
      disabled?: boolean;
      checked?: boolean;
      href?: string;
      run?: () => unknown;
    }
  | "line";

/** `begun`: it is open from the beginning, by a pointer or by a key, which leads to its first line. */
export type MenuProps = {
  items: Item[];
  align?: "start" | "end";
  trigger: Snippet<[Record<string, unknown>]>;
  begun?: "pointer" | "keys" | undefined;
};
