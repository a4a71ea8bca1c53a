// The guides as pages of the documentation. llms.txt decides their place in the side list.

import { escapeHtml } from '../../kernel/html.ts'
import type { Group, SearchEntry } from './frame.ts'
import { type Heading, type RenderedMarkdown, renderInline, renderMarkdown } from './markdown.ts'

/** A file of the repository: `docs/webhooks.md`. */
export type GuideFile = { path: string; text: string }

export type Guide = RenderedMarkdown & {
  /** Such as `/docs/webhooks`. The Markdown is at the same address with `.md`. */
  path: string
  title: string
  /** Of each heading; see `sectionWords`. */
  words: string[]
}

/** The path of a guide's page. */
export function guideAddress(path: string): string {
  return `/${path.replace(/\.md$/, '')}`
}

export function renderGuides(files: GuideFile[]): Guide[] {
  return files.map(({ path, text }) => {
    const rendered = renderMarkdown(text)
    const title = rendered.headings[0]?.title ?? path
    return { ...rendered, path: guideAddress(path), title, words: sectionWords(text) }
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

/** What somebody new reads first: the section of llms.txt that comes first, each guide with what it is about. */
export function beginning(llms: string): string {
  const [, first = ''] = llms.split(/^## /m)
  const rows = [...first.matchAll(/^- \[([^\]]+)\]\(([^)]+\.md)\): (.+)$/gm)].map(
    ([, name, path, about]) =>
      `<li><a href="${escapeHtml(guideAddress(path!))}">${escapeHtml(name!)}</a><span>${renderInline(about!)}</span></li>`,
  )
  return `<ul class="begin">${rows.join('')}</ul>`
}

/** As the side list has them, and then those that are not in it. */
export function inOrder(guides: Guide[], groups: Group[]): Guide[] {
  const hrefs = groups.flatMap(({ lines }) => lines.map(({ href }) => href))
  const placeOf = ({ path }: Guide) => {
    const at = hrefs.indexOf(path)
    return at < 0 ? hrefs.length : at
  }
  return guides.toSorted((one, other) => placeOf(one) - placeOf(other))
}

/**
 * Every heading of every guide with the words below it, and every setting. A decision record gives only its title, because all
 * records have the same headings below.
 */
export function guideIndex(guides: Guide[]): SearchEntry[] {
  return guides.flatMap((guide) => [...guide.terms.map(termEntry(guide)), ...headingEntries(guide)])
}

function termEntry({ path, title }: Guide) {
  return ({ name, anchor, meaning }: Guide['terms'][number]): SearchEntry => ({
    title: name,
    href: `${path}#${anchor}`,
    place: `${title}: ${meaning}`,
  })
}

function headingEntries({ path, title, headings, words }: Guide): SearchEntry[] {
  const depth_max = path.startsWith('/docs/decisions/') ? 1 : 3
  const entries: SearchEntry[] = []
  for (const [at, heading] of headings.entries()) {
    // What stands too deep is found by the heading above it.
    if (heading.depth <= depth_max) entries.push(entryOf(heading, { path, title }))
    const last = entries.at(-1)
    if (last) last.words = [last.words, words[at]].filter(Boolean).join(' ')
  }
  return entries
}

function entryOf(heading: Heading, { path, title }: Pick<Guide, 'path' | 'title'>): SearchEntry {
  if (heading.depth === 1) return { title: heading.title, href: path, place: 'Guide', words: path }
  return { title: heading.title, href: `${path}#${heading.anchor}`, place: title }
}

const contents_least = 3

/** The headings of a long page as a list; empty for a short one. */
export function guideContents({ headings }: Guide): string {
  const sections = headings.filter(({ depth }) => depth === 2 || depth === 3)
  if (sections.length < contents_least) return ''
  const lines = sections.map(
    ({ depth, title, anchor }) =>
      `<li${depth === 3 ? ' class="deeper"' : ''}><a href="#${anchor}">${escapeHtml(title)}</a></li>`,
  )
  return `<details class="contents" open><summary>On this page</summary><ul>${lines.join('')}</ul></details>`
}

/** The words under each heading, in the order of the headings. Names such as `RIPPER_PORT` are one word. */
function sectionWords(markdown: string): string[] {
  const sections: string[][] = []
  let is_code = false
  for (const line of markdown.split('\n')) {
    if (line.trimStart().startsWith('```')) is_code = !is_code
    if (!is_code && /^#{1,6} /.test(line)) sections.push([])
    sections.at(-1)?.push(line)
  }
  return sections.map((lines) => wordsOf(lines.join(' ')).join(' '))
}

function wordsOf(text: string): string[] {
  const plain_text = text.replaceAll(/\]\([^)]*\)/g, ' ').toLowerCase()
  return [...new Set(plain_text.match(/[\p{L}\p{N}_]{2,}/gu) ?? [])]
}
