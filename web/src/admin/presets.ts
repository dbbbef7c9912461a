import type { PresetPartsFragment, PresetParameterInput } from "../api/graphql";

/** The text form of a parameter: allowed values separated by commas, or a range of integers. */
export type Typed = {
  name: string;
  default: string;
  kind: "values" | "range";
  values: string;
  min: string;
  max: string;
};

export const newTyped = (): Typed => ({
  name: "",
  default: "",
  kind: "values",
  values: "",
  min: "",
  max: "",
});

export function toTyped(parameter: PresetPartsFragment): Typed {
  const { name, values, min, max } = parameter;
  return {
    name,
    default: parameter.default,
    kind: values ? "values" : "range",
    values: values?.join(", ") ?? "",
    min: String(min ?? ""),
    max: String(max ?? ""),
  };
}

/**
 * Converts parameters to API input. An empty list or bound is omitted, and the server reports what
 * is missing.
 */
export function toInput({
  name,
  default: value,
  kind,
  values,
  min,
  max,
}: Typed): PresetParameterInput {
  const bound = (text: string) => (text.trim() === "" ? null : Number(text));
  const list = values
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return {
    name: name.trim(),
    default: value.trim(),
    ...(kind === "values"
      ? { values: list }
      : { min: bound(min), max: bound(max) }),
  };
}

/** The operations with the default of each parameter, as the path before an image. */
export function withDefaults(
  operations: string,
  parameters: readonly Typed[],
): string {
  const path = parameters.reduce(
    (text, one) =>
      one.name.trim()
        ? text.replaceAll(`{${one.name.trim()}}`, () => one.default.trim())
        : text,
    operations.trim(),
  );
  return path && !path.endsWith("/") ? `${path}/` : path;
}

/** The call of a preset as written in a URL. */
export const callOf = (name: string, parameters: readonly { name: string }[]) =>
  `preset(${[name, ...parameters.map((one) => `{${one.name}}`)].join(",")})`;
