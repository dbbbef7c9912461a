import type {
  ApplyTemplateInput,
  TemplateFragment,
  TemplatesQuery,
} from "../api/graphql";
import { ApiError, request } from "../api/request";
import { decodePath } from "../editor/layers";
import { format } from "../editor/format";
import { parse, withoutSignature } from "../editor/parse";
import { escapePath } from "../router/path";
import { ApplyTemplate, Templates } from "./documents";
import { hasMarks, mark, showAll } from "./marks";

export type Template = TemplateFragment;

/** Loads the templates of the whole library, by name; `onfound` is called with each page of them. */
export async function findTemplates(
  onfound: (templates: Template[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const found: Template[] = [];
  for (let after: string | null = null; ;) {
    const { templates }: TemplatesQuery = await request(
      Templates,
      { after },
      { signal },
    );
    found.push(...(templates?.nodes ?? []));
    onfound([...found]);
    after = templates?.pageInfo.endCursor ?? null;
    if (!templates?.pageInfo.hasNextPage || !after) return;
  }
}

/**
 * The URL of a template's preview. Its path does not change when it is rendered again, so the
 * version makes the browser reload it.
 */
export const previewOf = ({ previewUrl, version }: Template) =>
  `${previewUrl}${previewUrl!.includes("?") ? "&" : "?"}v=${version}`;

/** Whether the name of a template contains a text. */
export const named = ({ name }: Pick<Template, "name">, text: string) =>
  name.toLowerCase().includes(text.trim().toLowerCase());

/** The maximum size of a preview, in pixels. */
export const previewBox = {
  forPreview: true,
  previewMaxDimensions: { width: 480, height: 320 },
};

/** The signed URL of a template applied to a picture. Throws ApiError. */
export async function applied(
  input: ApplyTemplateInput,
  signal?: AbortSignal,
): Promise<string> {
  const { applyTemplate } = await request(ApplyTemplate, { input }, { signal });
  return applyTemplate?.url ?? "";
}

/** The variables that a template's envelope declares. */
export function declared(envelope: string): Template["variables"] {
  const { variables } = JSON.parse(envelope) as {
    variables?: { name: string; type: string; default?: string }[];
  };
  return (variables ?? []).map((one) => ({
    name: one.name,
    type: one.type === "image" ? "IMAGE" : "TEXT",
    default: one.default ?? "",
  }));
}

/** Values that leave the placeholders in a template's texts, `{name}`, unchanged. */
export const unfilled = (template: Pick<Template, "variables">) =>
  template.variables
    .filter(({ type }) => type === "TEXT")
    .map(({ name }) => ({ name, value: `{${name}}` }));

/** The file name of a template's result, which consists of the names of the picture and the template. */
export const resultName = (picture: string, template: string) =>
  `${picture.slice(picture.lastIndexOf("/") + 1).replace(/\.[^.]*$/, "")}-${
    template
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, "-")
      .replace(/^-|-$/g, "") || "template"
  }`;

/**
 * The URL that opens a template in the editor. The server converts the template to operations with
 * all of its layers, so that hidden ones can be shown again. Placeholders in texts stay unchanged.
 */
export async function editorAddress(template: Template): Promise<string> {
  const read = async (templateJson: string) =>
    parse(
      withoutSignature(
        await applied({ templateJson, variables: unfilled(template) }),
      ),
    );
  const all = hasMarks(template.envelope)
    ? await read(showAll(template.envelope))
    : null;
  const marked = all && mark(all.operations, template.envelope);
  // If no layer is hidden or locked, or the path's layers do not match the template's, opens what is visible.
  const found = marked
    ? { ...all, operations: marked }
    : await read(template.envelope);
  if (!found) throw new ApiError("INVALID", template.name);
  return `/edit/${escapePath(decodePath(found.image))}?${new URLSearchParams({ p: format(found.operations, true).replace(/\/$/, ""), template: template.path })}`;
}
