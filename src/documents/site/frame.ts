// What surrounds the text of every documentation page: the side list, the search, the style, and a strict policy.

import { readFileSync } from 'node:fs'
import type { PageAnswer } from '../../http/pages.ts'
import { escapeHtml, guarded, htmlDocument, inlineText } from '../../kernel/html.ts'

/** A line of the side list. `verb` is a route's method; `mark` is a word that distinguishes it from its neighbours. */
export type Line = { title: string; href: string; verb?: string; mark?: string }
export type Group = { title: string; lines: Line[] }

/** An entry of the search: a title, its place, and more words by which it is found. */
export type SearchEntry = { title: string; href: string; place: string; words?: string }

const folder = new URL('../../../dist/web/', import.meta.url)

/** Builds pages that share one side list. Reads the built script and style, and throws if they are missing. */
export function openFrame(groups: Group[]) {
  const style = inlineText(readFileSync(new URL('docs.css', folder), 'utf8'))
  const script = inlineText(readFileSync(new URL('docs.js', folder), 'utf8'))
  const headers = {
    ...guarded({
      'script-src': [script.sha256],
      'style-src': [style.sha256],
      'img-src': ["'self'", 'data:'],
      'connect-src': ["'self'"],
      'frame-ancestors': ["'none'"],
    }),
    'x-frame-options': 'DENY',
  }
  /** `path` is the page's own, `body` HTML. */
  return (page: { path: string; title: string; body: string }): PageAnswer => ({
    status: 200,
    headers,
    body: htmlDocument({
      language: { locale: 'en', direction: 'ltr' },
      title: `${page.title} – Ripper Checkout`,
      head: `<style>${style.text}</style>`,
      body:
        `<a class="skip" href="#text">To the text</a>${bar}<div class="frame">` +
        `<nav aria-label="Documentation">${groups.map((each) => groupOf(each, page.path)).join('')}</nav>` +
        `<main id="text">${page.body}</main></div>` +
        `<script>${script.text}</script>`,
    }),
  })
}

const bar =
  `<header class="bar"><a class="name" href="/docs">Ripper Checkout</a>` +
  `<button type="button" id="menu" aria-expanded="false" hidden>Contents</button>` +
  `<div class="search" role="search" hidden><input id="search" type="search" role="combobox" aria-expanded="false" ` +
  `aria-controls="found" aria-autocomplete="list" aria-label="Search the documentation" placeholder="Search ( / )" ` +
  `autocomplete="off" spellcheck="false"><ul id="found" role="listbox" aria-label="Found" hidden></ul></div></header>`

function groupOf({ title, lines }: Group, path: string): string {
  const items = lines.map((line) => {
    const current = line.href === path ? ' aria-current="page"' : ''
    const verb = line.verb ? `<b class="${line.verb.toLowerCase()}">${line.verb}</b>` : ''
    const mark = line.mark ? `<i>${escapeHtml(line.mark)}</i>` : ''
    return `<li><a href="${escapeHtml(line.href)}"${current}>${verb}<span>${escapeHtml(line.title)}</span>${mark}</a></li>`
  })
  return `<h2>${escapeHtml(title)}</h2><ul>${items.join('')}</ul>`
}
