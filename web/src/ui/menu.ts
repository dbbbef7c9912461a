import type { Snippet } from "svelte";

/** An item of a menu. With `checked` it is one of several choices. */
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

/** `begun`: whether the menu is opened initially, by a pointer, or by a key, which focuses its first item. */
export type MenuProps = {
  items: Item[];
  align?: "start" | "end";
  trigger: Snippet<[Record<string, unknown>]>;
  begun?: "pointer" | "keys" | undefined;
};
