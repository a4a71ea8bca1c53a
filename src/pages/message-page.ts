// A page with a message only, such as for a shop or an address that does not exist.

import type { PageAnswer } from '../http/pages.ts'
import { escapeHtml, guarded, htmlDocument, inlineText } from '../kernel/html.ts'
import type { Language } from '../kernel/words.ts'

const style = inlineText(
  ':root{color-scheme:light dark;--ground:#f6f8fd;--card:#fff;--line:#d9dde5;--text:#1a1f2b;--soft:#5a6373;--mark:#1d4ed8}' +
    '@media(prefers-color-scheme:dark){:root{--ground:#0f1319;--card:#14181f;--line:#343b47;--text:#eef1f6;--soft:#a9b2c1;--mark:#8ab0ff}}' +
    'body{margin:0;min-height:100vh;display:grid;place-items:center;font:16px/1.5 system-ui,sans-serif;color:var(--text);background:var(--ground)}' +
    'main{box-sizing:border-box;width:min(30rem,100% - 2rem);margin:2rem;padding:2.5rem 2rem;border:1px solid var(--line);border-radius:14px;' +
    'background:var(--card);text-align:center;overflow-wrap:anywhere}' +
    '.status{margin:0 0 .5rem;font-size:2.5rem;font-weight:650;line-height:1.2;color:var(--mark)}' +
    'h1{margin:0 0 .75rem;font-size:1.375rem;line-height:1.3}p{margin:0;color:var(--soft)}h1,p{text-wrap:balance}p+p{margin-top:1rem}a{color:var(--mark)}',
)

/** `framed` lets a shop's page frame it, so that the shop sees what is wrong. */
export function messagePage(message: {
  status: number
  language: Language
  /** The key of its words. The key with `_detail` has their second line. */
  words: 'unavailable' | 'not_found'
  framed?: boolean
  /** In English. */
  link?: { text: string; href: string } | undefined
}): PageAnswer {
  const { language, status, link } = message
  const title = language.words[message.words]!
  const detail = language.words[`${message.words}_detail`]!
  return {
    status,
    body: htmlDocument({
      language,
      title,
      head: `<style>${style.text}</style>`,
      body:
        `<main><p class="status">${status}</p><h1>${escapeHtml(title)}</h1><p>${escapeHtml(detail)}</p>` +
        `${link ? `<p><a lang="en" href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>` : ''}</main>`,
    }),
    headers: {
      ...guarded({
        'style-src': [style.sha256],
        'img-src': ['data:'],
        'frame-ancestors': [message.framed ? '*' : "'none'"],
      }),
      vary: 'Accept-Language',
    },
  }
}
