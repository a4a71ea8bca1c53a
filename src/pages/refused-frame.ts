// In place of the card fields, in test mode: tells a page on an origin that is not allowed why they do not come.

import type { PageAnswer } from '../http/pages.ts'
import { guarded, htmlDocument, inlineText } from '../kernel/html.ts'
import type { Language } from '../kernel/words.ts'
import { inScript } from './document.ts'

// Any page may hear it: it is told only where it is itself.
const tell = inlineText("parent.postMessage(JSON.parse(document.getElementById('context').textContent),'*')")

/** The origin of the page around a frame, as the browser says it; null where it does not, or where there is none. */
export function framerOf(header: (name: string) => string | null | undefined): string | null {
  const referrer = header('referer') ?? ''
  return header('sec-fetch-dest') === 'iframe' && URL.canParse(referrer) ? new URL(referrer).origin : null
}

/** `sheet`: the card fields' style, in which the page around says it. */
export function refusedFrame(language: Language, origin: string, sheet: string): PageAnswer {
  const { words, locale } = language
  const load_failed = words.test_origin!.replace('{origin}', () => origin)
  const message = { type: 'refused', words: { ...words, load_failed }, locale, sheet }
  return {
    status: 200,
    body: htmlDocument({
      language,
      title: words.card_details!,
      head: '',
      body:
        `<script type="application/json" id="context">${inScript(JSON.stringify(message))}</script>` +
        `<script>${tell.text}</script>`,
    }),
    headers: {
      ...guarded({
        'script-src': [tell.sha256],
        'img-src': ['data:'],
        'frame-ancestors': ['*'],
      }),
      vary: 'Accept-Language, Referer, Sec-Fetch-Dest',
    },
  }
}
