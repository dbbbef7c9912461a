import type { OneTemplateQuery } from '../api/graphql'
import { request } from '../api/request'
import { OneTemplate, TemplateFiles } from './documents'

export type Template = NonNullable<OneTemplateQuery['template']>

/** So many are asked for at the same time. */
const lanes = 6
const suffix = '.template.json'

/** The templates of the whole library, by name; `onfound` gets them as they come. */
export async function findTemplates(onfound: (templates: Template[]) => void, signal: AbortSignal): Promise<void> {
  const paths: string[] = []
  for (let after: string | null = null; ; ) {
    const { files } = (await request(TemplateFiles, { after }, { signal })) as { files?: { nodes: { path: string }[]; pageInfo: { hasNextPage: boolean; endCursor?: string | null } } | null }
    paths.push(...(files?.nodes ?? []).map((node) => node.path).filter((path) => path.endsWith(suffix)))
    after = files?.pageInfo.endCursor ?? null
    if (!files?.pageInfo.hasNextPage || !after) break
  }
  const found: (Template | null)[] = Array.from({ length: paths.length }, () => null)
  let next = 0
  const lane = async () => {
    for (let at = next++; at < paths.length; at = next++) {
      // One that is gone by now is left out.
      found[at] = await request(OneTemplate, { path: paths[at]! }, { signal }).then((answer) => answer.template ?? null, () => null)
      if (at % lanes === 0) onfound(found.filter((one) => one !== null))
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  signal.throwIfAborted()
  onfound(found.filter((one) => one !== null))
}

/** What a result of a template is called: after the picture and the template. */
export const resultName = (picture: string, template: string) => `${picture.slice(picture.lastIndexOf('/') + 1).replace(/\.[^.]*$/, '')}-${template.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '-').replace(/^-|-$/g, '') || 'template'}`
