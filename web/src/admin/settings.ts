import type { SettingFragment } from "../api/graphql";

/** The settings of one group, in the order of the documentation. */
export type SettingGroup = { name: string; settings: SettingFragment[] };

/**
 * The settings whose name, description, environment variable or source contains every word of a
 * text, by group; with `changed` only those that differ from their default. Secrets cannot be found
 * by their value.
 */
export function findSettings(
  all: readonly SettingFragment[],
  text: string,
  changed: boolean,
): SettingGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const groups = new Map<string, SettingFragment[]>();
  for (const setting of all) {
    if (changed && setting.origin === "DEFAULT") continue;
    const said = [
      setting.name,
      setting.environment,
      setting.description,
      setting.source,
      setting.secret ? "" : setting.value,
    ]
      .join("\n")
      .toLowerCase();
    if (!words.every((word) => said.includes(word))) continue;
    groups.set(setting.group, [...(groups.get(setting.group) ?? []), setting]);
  }
  return [...groups].map(([name, settings]) => ({ name, settings }));
}
