// The guides as pages of the documentation. llms.txt decides their place in the side list.

import type { Group, SearchEntry } from './frame.ts'
import { type RenderedMarkdown, renderMarkdown } from './markdown.ts'

/** A file of the repository: `docs/webhooks.md`. */
export type GuideFile = { path: string; text: string }

export type Guide = RenderedMarkdown & {
  /** Such as `/docs/webhooks`. The Markdown is at the same address with `.md`. */
  path: string
  title: string
}

/** The path of a guide's page. */
export function guideAddress(path: string): string {
  return `/${path.replace(/\.md$/, '')}`
}

export function renderGuides(files: GuideFile[]): Guide[] {
  return files.map(({ path, text }) => {
    const rendered = renderMarkdown(text)
    return { ...rendered, path: guideAddress(path), title: rendered.headings[0]?.title ?? path }
  })
}

/** Those links of llms.txt that lead to a guide, under their headings. */
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

/** Every heading of every guide. A decision record gives only its title, because all records have the same headings below. */
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
