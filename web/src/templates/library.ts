import type { ApplyTemplateInput, TemplateFragment, TemplatesQuery } from '../api/graphql'
import { refuse, request } from '../api/request'
import { ApplyTemplate, Templates } from './documents'

export type Template = TemplateFragment

/** The templates of the whole library, by name; `onfound` gets them as they come. */
export async function findTemplates(onfound: (templates: Template[]) => void, signal: AbortSignal): Promise<void> {
  const found: Template[] = []
  for (let after: string | null = null; ; ) {
    const { templates }: TemplatesQuery = await request(Templates, { after }, { signal })
    found.push(...(templates?.nodes ?? []))
    onfound([...found])
    after = templates?.pageInfo.endCursor ?? null
    if (!templates?.pageInfo.hasNextPage || !after) return
  }
}

/** The box of a preview, in pixels. */
export const previewBox = { forPreview: true, previewMaxDimensions: { width: 480, height: 320 } }

/** The signed URL of a template on a picture. Throws ApiError. */
export async function applied(input: ApplyTemplateInput, signal?: AbortSignal): Promise<string> {
  const { applyTemplate } = await request(ApplyTemplate, { input }, { signal })
  refuse(applyTemplate?.userErrors ?? [])
  return applyTemplate?.url ?? ''
}

/** Values that leave the texts of a template as they are written, `{name}`. */
export const unfilled = (template: Template) => template.variables.filter(({ type }) => type === 'TEXT').map(({ name }) => ({ name, value: `{${name}}` }))

/** What a result of a template is called: after the picture and the template. */
export const resultName = (picture: string, template: string) => `${picture.slice(picture.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')}-${template.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'template'}`
