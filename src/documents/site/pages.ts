// The documentation that the service serves: the reference at /docs, and each guide at its path without `.md`.

import { lasting } from '../../http/encoded.ts'
import type { Page, PageAnswer } from '../../http/pages.ts'
import type { OpenApiDocument } from '../openapi/document.ts'
import { type Line, openFrame, type SearchEntry } from './frame.ts'
import {
  beginning,
  type GuideFile,
  guideAddress,
  guideContents,
  guideGroups,
  guideIndex,
  inOrder,
  renderGuides,
} from './guides.ts'
import { reference } from './reference.ts'

/** `files` are the guides and llms.txt. The first request makes the pages, so that a start does not wait for them. */
export function documentationPages<Context>(description: () => OpenApiDocument, files: GuideFile[]): Page<Context>[] {
  const guides = files.filter(({ path }) => path.endsWith('.md'))
  let answers: Map<string, PageAnswer> | null = null
  const paths = ['/docs', index_path, ...guides.map(({ path }) => guideAddress(path))]
  return paths.map((path) => ({
    method: 'GET',
    path,
    handle: async () => {
      answers ??= new Map([...documentation(description(), files)].map(([at, page]) => [at, lasting(page)]))
      return answers.get(path)!
    },
  }))
}

/** Every page by its path. */
export function documentation(document: OpenApiDocument, files: GuideFile[]): Map<string, PageAnswer> {
  const llms = files.find(({ path }) => path === 'llms.txt')?.text ?? ''
  const guides = renderGuides(files.filter(({ path }) => path.endsWith('.md')))
  const { title, body, groups, index } = reference(document)
  const api: Line = { title, href: '/docs#api' }
  const top: Line = { title: 'Documentation', href: '/docs' }
  // The reference comes first, so that a reader sees it without scrolling; its routes follow after all guides.
  const guided = guideGroups(llms, guides).map((group, at) => ({
    ...group,
    lines: [...(at === 0 ? [top] : []), ...(group.title === 'Reference' ? [api] : []), ...group.lines],
  }))
  const overview = `<h1>Documentation</h1><p class="lead">Where to begin. Below is the reference of the API; the list of pages has everything else.</p>`
  const framed = openFrame([...guided, ...groups])
  const pages = guides.map((guide): [string, PageAnswer] => {
    const source = `<p class="source"><a href="${guide.path}.md">This page as Markdown</a></p>`
    const text = `<div class="guide">${guideContents(guide)}<article>${guide.html}${source}</article></div>`
    return [guide.path, framed({ path: guide.path, title: guide.title, body: text })]
  })
  return new Map([
    ['/docs', framed({ path: '/docs', title: top.title, body: overview + beginning(llms) + body })],
    [index_path, searchIndex([...index, ...guideIndex(inOrder(guides, guided))])],
    ...pages,
  ])
}

/** What the search looks through. The pages load it when somebody begins to search. */
const index_path = '/docs/search.json'

function searchIndex(index: SearchEntry[]): PageAnswer {
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  return { status: 200, headers, body: JSON.stringify(index) }
}
