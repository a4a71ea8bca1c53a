// The HTML of our 3-D Secure pages: forms that a script submits, and the message to the page around that the step is
// over.

import type { PageAnswer } from '../../http/pages.ts'
import { escapeHtml, guarded, htmlDocument, inlineText, type Policy } from '../../kernel/html.ts'
import type { Language } from '../../kernel/words.ts'
import type { Form } from '../../three-ds/three-ds.ts'

/** `origins` may frame the page and get its message; `back` is where a page that is not framed leads to. */
export type Frame = { origins: string[]; back: string | null }

/** Null for an address on none of the origins: the shopper is not led there. */
export function backTo(address: string, origins: string[]): string | null {
  if (!URL.canParse(address)) return null
  const { protocol, username, password, origin, href } = new URL(address)
  // A blob: address has the origin of the page that made it. A user name before the host is there to deceive.
  const is_page = /^https?:$/.test(protocol) && username === '' && password === ''
  return is_page && origins.includes(origin) ? href : null
}

type BankForm = { form: Form; frame: Frame; language: Language }

/** A page, hidden from the shopper, that nests the bank's 3DS Method. */
export function methodFrame(page: BankForm): PageAnswer {
  return nesting(page, { title: page.language.words.checking!, back: null, hidden: true })
}

/** The page that nests the bank's challenge. Its title is for shoppers who do not see the bank's page. */
export function challengeFrame(page: BankForm): PageAnswer {
  const { words } = page.language
  return nesting(page, { title: words.challenge_title!, back: words.back_url!, hidden: false })
}

/** The end of a challenge: a text in English, and a message to the page around. */
export function doneNotice(words: string, frame: Frame): PageAnswer {
  return html(200, { ...spoken(words), frame, parts: resultPageOptions(frame) })
}

/** Only words, in English. */
export function notice(status: number, words: string, origins: string[]): PageAnswer {
  const parts = { script: null, headers: guarded(policyOf(null, origins)) }
  return html(status, { ...spoken(words), frame: { origins, back: null }, parts })
}

/** The script on one of our pages, and the page's headers. */
export type FramedPageOptions = { script: InlineText | null; headers: Record<string, string> }

type InlineText = ReturnType<typeof inlineText>

/** `origins` may frame a page; `bank` is the origin of the bank's page, which it nests. */
type FrameOrigins = { origins: string[]; bank: string }

export function methodPageOptions(around: FrameOrigins): FramedPageOptions {
  return nestingParts(submit, around)
}

export function challengePageOptions(around: FrameOrigins): FramedPageOptions {
  return nestingParts(submitAndWait, around)
}

export function resultPageOptions({ origins }: { origins: string[] }): FramedPageOptions {
  return { script: tellNow, headers: guarded(policyOf(tellNow, origins)) }
}

function nestingParts(script: InlineText, { origins, bank }: FrameOrigins): FramedPageOptions {
  // Banks post on to hosts of their own, so any https is allowed; the simulator's http address is named.
  const targets = ['https:', bank]
  const policy = {
    ...policyOf(script, origins),
    'frame-src': targets,
    'form-action': targets,
  }
  return { script, headers: { ...guarded(policy), 'referrer-policy': 'origin' } }
}

function policyOf(script: InlineText | null, origins: string[]): Policy {
  return {
    ...(script && { 'script-src': [script.sha256] }),
    'style-src': [frameStyle.sha256],
    'img-src': ['data:'],
    'frame-ancestors': ["'self'", ...origins],
  }
}

function nesting(
  { form, frame, language }: BankForm,
  { title, back, hidden }: { title: string; back: string | null; hidden: boolean },
): PageAnswer {
  const around = { origins: frame.origins, bank: new URL(form.action).origin }
  const inputs = Object.entries(form.fields)
    .map(
      ([name, value]) =>
        `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`,
    )
    .join('')
  const header =
    back && frame.back
      ? `<header><h1>${escapeHtml(title)}</h1><a href="${escapeHtml(frame.back)}">${escapeHtml(back)}</a></header>`
      : ''
  const body =
    `${header}<main><form method="post" action="${escapeHtml(form.action)}" target="bank">${inputs}` +
    `<noscript><button>${escapeHtml(language.words.continue!)}</button></noscript></form>` +
    `<iframe name="bank" title="${escapeHtml(title)}" sandbox="allow-forms allow-scripts allow-same-origin allow-pointer-lock"` +
    ` allow="payment *; publickey-credentials-get *"${hidden ? ' hidden' : ''}></iframe></main>`
  const parts = hidden ? methodPageOptions(around) : challengePageOptions(around)
  return html(200, { language, title, frame, body, parts })
}

function spoken(words: string) {
  const language = { locale: 'en', direction: 'ltr' } as const
  return { language, title: words, body: `<main><p role="status">${escapeHtml(words)}</p></main>` }
}

export const frameStyle = inlineText(
  'html,body{margin:0;height:100%;font:16px/1.5 system-ui,sans-serif;color:#1a1f2b;background:#fff}' +
    'body,main{display:flex;flex-direction:column}main,iframe{flex:1;min-height:0}iframe{border:0;width:100%}' +
    'iframe[hidden]{display:none}p{margin:1rem}a{color:#1d4ed8}' +
    'header{padding:.75rem 1rem;border-bottom:1px solid #d9dde5}' +
    'h1{position:absolute;width:1px;height:1px;overflow:hidden;margin:0;clip-path:inset(50%)}',
)

const submit = inlineText('document.forms[0].submit()')

// The message does not carry the result: the checkout asks the service, which has it from the bank alone.
const tell =
  `var said=document.body.dataset,word={type:'ripper:challenge',done:true};function tell(){` +
  `if(parent!==window)JSON.parse(said.origins).forEach(function(origin){parent.postMessage(word,origin)});` +
  `else if(said.back)location.replace(said.back)}`
const tellNow = inlineText(`${tell};tell()`)
const submitAndWait = inlineText(
  `${tell};addEventListener('message',function(event){if(event.source===frames[0]&&event.origin===location.origin&&` +
    `event.data&&event.data.type===word.type)tell()});document.forms[0].submit()`,
)

type Page = {
  language: Pick<Language, 'locale' | 'direction'>
  title: string
  /** HTML. */
  body: string
  frame: Frame
  parts: FramedPageOptions
}

function html(status: number, { language, title, body, frame, parts }: Page): PageAnswer {
  const { script, headers } = parts
  return {
    status,
    body: htmlDocument({
      language,
      title,
      head: `<style>${frameStyle.text}</style>`,
      body: `${body}${script ? `<script>${script.text}</script>` : ''}`,
      attributes: {
        body: { 'data-origins': JSON.stringify(frame.origins), 'data-back': frame.back },
      },
    }),
    headers,
  }
}
