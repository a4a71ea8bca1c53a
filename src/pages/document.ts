// One HTML document with the headers that keep out everything that is not ours.

import type { Caller } from '../http/access.ts'
import type { PageAnswer } from '../http/pages.ts'
import { escapeHtml, guarded, htmlDocument, type Policy } from '../kernel/html.ts'
import type { Language } from '../kernel/words.ts'
import type { Asset } from './assets.ts'

/** The scripts and styles of a page, and the page's headers. */
export type DocumentOptions = {
  /** `inline` puts the text into the document, which saves a request. */
  style: { inline: Asset } | { link: Asset }
  scripts: ({ inline: Asset } | { link: Asset })[]
  headers: Record<string, string>
}

type Contents = {
  parts: DocumentOptions
  language: Pick<Language, 'locale' | 'direction' | 'words'>
  title: string
  /** The merchant's appearance. Its theme is in the page from the start, so that a dark page does not flash white. */
  appearance: unknown
  /** The service's address, where linked assets are. */
  base_url: string
  main_id: string
  /** The context of the script, as JSON text. */
  context_json: string
}

export function document({ parts, language, title, appearance, ...rest }: Contents): PageAnswer {
  const { scripts, style, headers } = parts
  const { base_url, main_id, context_json } = rest
  const linked = scripts.map((script) => ('link' in script ? scriptTag(script, base_url) : ''))
  const inline = scripts.map((script) => ('inline' in script ? scriptTag(script, '') : ''))
  const html = htmlDocument({
    language,
    title,
    head: styleTag(style, base_url) + linked.join(''),
    body:
      `<main id="${main_id}"><noscript>${escapeHtml(language.words.no_script!)}</noscript></main>` +
      `<script type="application/json" id="context">${inScript(context_json)}</script>${inline.join('')}`,
    attributes: { html: { 'data-theme': themeOf(appearance) } },
  })
  return { status: 200, body: html, headers }
}

function themeOf(appearance: unknown): string | null {
  const { theme } = (appearance ?? {}) as { theme?: unknown }
  return theme === 'dark' || theme === 'auto' ? theme : null
}

/** The headers of a document that takes cards or leads to one that does. */
export function documentHeaders(policy: Policy): Record<string, string> {
  return {
    ...guarded(policy),
    'permissions-policy': 'payment=(self), publickey-credentials-get=*',
  }
}

function styleTag(style: DocumentOptions['style'], base_url: string): string {
  if ('inline' in style) return `<style>${style.inline.text}</style>`
  const { path, integrity } = style.link
  return `<link rel="stylesheet" href="${escapeHtml(base_url + path)}" integrity="${integrity}" crossorigin>`
}

function scriptTag(script: DocumentOptions['scripts'][number], base_url: string): string {
  if ('inline' in script) return `<script>${script.inline.text}</script>`
  const { path, integrity } = script.link
  return `<script defer src="${escapeHtml(base_url + path)}" integrity="${integrity}" crossorigin></script>`
}

/** JSON that cannot close its script element. */
export function inScript(json: string): string {
  return json.replace(/</g, '\\u003c')
}

const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** A redirect to the service's own address; null if the request came to that address. */
export function canonicalAddress(address: string, { url, caller }: { url: string; caller: Caller }): PageAnswer | null {
  const { host, origin } = new URL(address)
  const request_host = caller.header('host') ?? host
  // On other machines a proxy may pass on another name, and then the redirects would never end.
  if (request_host === host || !loopback.test(request_host) || !loopback.test(host)) return null
  return { status: 302, body: '', headers: { location: origin + url } }
}
