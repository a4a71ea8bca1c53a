// A page that only says something: no such shop, no such address.

import { escapeHtml, guarded, htmlDocument, inlineText } from '../html.ts'
import type { PageAnswer } from '../http/pages.ts'
import type { Language } from '../words.ts'

const style = inlineText(
  'body{margin:0;font:16px/1.5 system-ui,sans-serif;color:#1a1f2b;background:#fff}' +
    'main{max-width:32rem;margin:15vh auto;padding:0 1.5rem}h1{font-size:1.5rem}',
)

/** `framed` where a shop's page may frame it: then the shop sees what is wrong. */
export function messagePage(message: {
  status: number
  language: Language
  /** The key of its words. */
  words: string
  framed?: boolean
}): PageAnswer {
  const { language, status } = message
  const title = language.words[message.words]!
  return {
    status,
    body: htmlDocument({
      language,
      title,
      head: `<style>${style.text}</style>`,
      body: `<main><h1>${escapeHtml(title)}</h1></main>`,
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
