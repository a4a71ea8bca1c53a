// The HTML of our 3-D Secure pages: forms that a script submits, and the message to the page around that the step is
// over.

import type { PageAnswer } from '../../http/pages.ts'
import { escapeHtml, guarded, htmlDocument, inlineText, type Policy } from '../../kernel/html.ts'
import type { Language } from '../../kernel/words.ts'
import { sessionDataOf } from '../../three-ds/emv/browser-messages.ts'
import type { Form } from '../../three-ds/three-ds.ts'

/** `origins` may frame the page and get its message, `service` is our own; `back` is where a page that is not framed leads to. */
export type Frame = { origins: string[]; service: string; back: string | null }

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
  const title = page.language.words.checking!
  const sandbox = sandboxOf(page, 'allow-forms allow-scripts allow-same-origin allow-pointer-lock')
  const frame = `<iframe name="bank" title="${escapeHtml(title)}"${sandbox} hidden></iframe>`
  const body = `<main>${bankForm(page, 'bank')}${frame}</main>`
  return bankPage(page, { title, body, options: methodPageOptions })
}

/**
 * What the bank's page may do in its frame. It asks questions, opens windows, and wakes the bank's app, where the shopper passes the
 * check. None of these reaches a page around it: a window has the bank's address in sight, and the browser asks before an app. The
 * bank's page must not lead the shop's page away, so it gets no other `allow-top-navigation`. It keeps its own origin, and our result
 * page in it keeps ours, by which the page around knows its message.
 */
const bank_sandbox =
  'allow-forms allow-scripts allow-same-origin allow-pointer-lock allow-modals allow-popups ' +
  'allow-popups-to-escape-sandbox allow-top-navigation-to-custom-protocols'

/** The bank's challenge: nested in a page of ours, or in its place where the bank brings the way back to the shop with it. */
export function challengeDocument({ form, frame, language }: BankForm): PageAnswer {
  const session_data = frame.back && sessionDataOf(frame.back)
  if (!session_data) return challengeFrame({ form, frame, language })
  const fields = { ...form.fields, threeDSSessionData: session_data }
  return challengeInFull({ form: { ...form, fields }, frame, language })
}

/** The page that nests the bank's challenge. Its title is for shoppers who do not see the bank's page. */
function challengeFrame(page: BankForm): PageAnswer {
  const title = page.language.words.challenge_title!
  const frame =
    `<iframe name="bank" title="${escapeHtml(title)}"${sandboxOf(page, bank_sandbox)}` +
    ` allow="payment *; publickey-credentials-get *"></iframe>`
  const body = `${headerOf(page, title)}<main>${bankForm(page, 'bank')}${frame}</main>`
  return bankPage(page, { title, body, options: challengePageOptions })
}

/** The page that makes way for the bank's challenge, for banks that no frame holds. */
function challengeInFull(page: BankForm): PageAnswer {
  const { words } = page.language
  const title = words.challenge_title!
  const status = `<p role="status">${escapeHtml(words.challenge_loading!)}</p>`
  const body = `${headerOf(page, title)}<main>${status}${bankForm(page, '_self')}</main>`
  return bankPage(page, { title, body, options: challengePageOptions })
}

/** Instead of a challenge whose result has come. */
export function answeredNotice(page: Pick<BankForm, 'frame' | 'language'>): PageAnswer {
  return doneNotice('Your bank has answered. You can return to the shop.', page)
}

/** The end of a challenge: a message to the page around, with a text in English; or, in full, the way back to the shop. */
export function doneNotice(words: string, { frame, language }: Pick<BankForm, 'frame' | 'language'>): PageAnswer {
  const parts = resultPageOptions(frame)
  if (!frame.back) return html(200, { ...spoken(words), frame, parts })
  const title = language.words.back_url!
  return html(200, {
    language,
    title,
    body: `<main>${linkBack(frame.back, title)}</main>`,
    frame,
    parts,
  })
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
  return nestingParts(submit, { ...around, frames: { 'frame-src': targetsOf(around) } })
}

export function challengePageOptions(around: FrameOrigins): FramedPageOptions {
  return nestingParts(submitAndWait, { ...around, frames: anyFrames })
}

export function resultPageOptions({ origins }: { origins: string[] }): FramedPageOptions {
  return { script: tellNow, headers: guarded(policyOf(tellNow, origins)) }
}

/**
 * A policy judges each address that a frame leads to, that of the bank's app too, and no policy can name all banks' apps. The page's
 * one frame is sandboxed, and nothing in the page makes another.
 */
const anyFrames: Policy = {
  'default-src': null,
  ...Object.fromEntries(
    ['connect', 'font', 'manifest', 'media', 'object', 'worker'].map((kind) => [`${kind}-src`, ["'none'"]]),
  ),
}

/** Banks post on to hosts of their own, so any https is allowed; the simulator's http address is named. */
function targetsOf({ bank }: FrameOrigins): string[] {
  return ['https:', bank]
}

function nestingParts(script: InlineText, { frames, ...around }: FrameOrigins & { frames: Policy }): FramedPageOptions {
  const policy = {
    ...frames,
    ...policyOf(script, around.origins),
    'form-action': targetsOf(around),
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

function bankPage({ form, frame, language }: BankForm, { title, body, options }: BankPage): PageAnswer {
  const around = { origins: frame.origins, bank: new URL(form.action).origin }
  return html(200, { language, title, frame, body, parts: options(around) })
}

type BankPage = {
  title: string
  /** HTML. */
  body: string
  options: (around: FrameOrigins) => FramedPageOptions
}

/** The simulated bank is on our own origin, where a sandbox keeps nothing in, and browsers warn of that. */
function sandboxOf({ form, frame }: BankForm, tokens: string): string {
  return new URL(form.action).origin === frame.service ? '' : ` sandbox="${tokens}"`
}

function bankForm({ form, language }: BankForm, target: string): string {
  const inputs = Object.entries(form.fields)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join('')
  return (
    `<form method="post" action="${escapeHtml(form.action)}" target="${target}">${inputs}` +
    `<noscript><button>${escapeHtml(language.words.continue!)}</button></noscript></form>`
  )
}

function headerOf({ frame, language }: BankForm, title: string): string {
  if (!frame.back) return ''
  const link = linkBack(frame.back, language.words.back_url!)
  return `<header><h1>${escapeHtml(title)}</h1>${link}</header>`
}

function linkBack(address: string, words: string): string {
  return `<a href="${escapeHtml(address)}">${escapeHtml(words)}</a>`
}

function spoken(words: string) {
  const language = { locale: 'en', direction: 'ltr' } as const
  return { language, title: words, body: `<main><p role="status">${escapeHtml(words)}</p></main>` }
}

export const frameStyle = inlineText(
  'html,body{margin:0;height:100%;font:16px/1.5 system-ui,sans-serif;color:#1a1f2b;background:#fff}' +
    'body,main{display:flex;flex-direction:column}main,iframe{flex:1;min-height:0}iframe{border:0;width:100%}' +
    'iframe[hidden]{display:none}p,main>a{margin:1rem}a{color:#1d4ed8}' +
    'header{padding:.75rem 1rem;border-bottom:1px solid #d9dde5}' +
    'h1{position:absolute;width:1px;height:1px;overflow:hidden;margin:0;clip-path:inset(50%)}',
)

const submit = inlineText('document.forms[0].submit()')

// The message does not carry the result: the checkout asks the service, which has it from the bank alone. A message to another
// origin than the page around has is a warning in the shop's console; Firefox does not say which origin it has.
// Some banks give back only what came with the first CReq, from the dialog; so the way back is kept in the window, too.
const tell =
  `var said=document.body.dataset,around=location.ancestorOrigins,word={type:'ripper:challenge',done:true};` +
  `try{var place=location.pathname.replace('/result',''),kept=sessionStorage.getItem(place);` +
  `if(said.back)sessionStorage.setItem(place,said.back)}catch(e){}` +
  `function tell(){if(parent!==window)JSON.parse(said.origins).forEach(function(origin){` +
  `if(!around||around[0]===origin)parent.postMessage(word,origin)});` +
  `else if(said.back||kept)location.replace(said.back||kept)}`
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
  frame: Omit<Frame, 'service'>
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
