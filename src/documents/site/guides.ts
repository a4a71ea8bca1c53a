// The guides as pages of the documentation, and their place in the side list, which llms.txt decides.

import type { Group, SearchEntry } from './frame.ts'
import { type Rendered, renderMarkdown } from './markdown.ts'

/** A file of the repository: `docs/webhooks.md`. */
export type GuideFile = { path: string; text: string }

export type Guide = Rendered & {
  /** `/docs/webhooks`; the text itself is at the same address with `.md`. */
  path: string
  title: string
}

/** Where the page of a guide is. */
export function guideAddress(path: string): string {
  return `/${path.replace(/\.md$/, '')}`
}

export function renderGuides(files: GuideFile[]): Guide[] {
  return files.map(({ path, text }) => {
    const rendered = renderMarkdown(text)
    return { ...rendered, path: guideAddress(path), title: rendered.headings[0]?.title ?? path }
  })
}

/** The links of llms.txt under their headings, as far as they lead to a guide. */
export function guideGroups(llms: string, guides: Guide[]): Group[] {
  return llms
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title] = section.split('\n', 1)
      const links = [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\)/gm)]
      const lines = links
        .map(([, name, path]) => ({ title: name!, href: guideAddress(path!) }))
        .filter(({ href }) => guides.some(({ path }) => path === href))
      return { title: title === 'Optional' ? 'The project' : title!, lines }
    })
    .filter(({ lines }) => lines.length > 0)
}

/** Every heading of every guide; of a decision record its title alone, since all have the same headings below. */
export function guideIndex(guides: Guide[]): SearchEntry[] {
  return guides.flatMap(({ path, title, headings }) =>
    headings
      .filter(({ depth }) => depth <= (path.startsWith('/docs/decisions/') ? 1 : 3))
      .map((heading) => ({
        title: heading.title,
        href: heading.depth === 1 ? path : `${path}#${heading.anchor}`,
        place: heading.depth === 1 ? 'Guide' : title,
        ...(heading.depth === 1 && { words: path }),
      })),
  )
}
