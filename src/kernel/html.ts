// The common parts of all our pages: the document around their parts, escaping, and headers.

import { createHash } from 'node:crypto'

/** Values of attributes by their names; null if an element lacks the attribute. */
type Attributes = Record<string, string | null>

type Shell = {
  language: { locale: string; direction: 'ltr' | 'rtl' }
  title: string
  /** HTML: style sheets, and scripts that the page links to. */
  head: string
  /** HTML. */
  body: string
  attributes?: { html?: Attributes; body?: Attributes }
}

/** A whole document without an icon: otherwise the page's policy would have to allow one. */
export function htmlDocument({ language, title, head, body, attributes = {} }: Shell): string {
  const { locale: lang, direction: dir } = language
  return (
    `<!doctype html><html${written({ lang, dir, ...attributes.html })}><head><meta charset="utf-8">` +
    `<meta name="viewport" content="width=device-width,initial-scale=1"><title>${escapeHtml(title)}</title>` +
    `<link rel="icon" href="data:,">${head}</head><body${written(attributes.body ?? {})}>${body}</body></html>`
  )
}

function written(attributes: Attributes): string {
  return Object.entries(attributes)
    .map(([name, value]) => (value === null ? '' : ` ${name}="${escapeHtml(value)}"`))
    .join('')
}

/** A script or style sheet inside a page, with the source expression by which the page's policy allows exactly it. */
export function inlineText(text: string): { text: string; sha256: string } {
  return { text, sha256: `'sha256-${createHash('sha256').update(text).digest('base64')}'` }
}

/** Text made safe for HTML content and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** Sources by directive; a missing directive is `'none'`. Null if the policy says nothing about it. */
export type Policy = Record<string, string[] | null>

/** The headers that block everything that a page's policy does not name. Pages may add headers or replace them. */
export function guarded(policy: Policy): Record<string, string> {
  return {
    'content-security-policy': policyText(policy),
    'strict-transport-security': 'max-age=63072000; includeSubDomains',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
  }
}

function policyText(policy: Policy): string {
  const all: Policy = {
    'default-src': ["'none'"],
    'base-uri': ["'none'"],
    'form-action': ["'none'"],
    'require-trusted-types-for': ["'script'"],
    'trusted-types': ["'none'"],
    ...policy,
  }
  return Object.entries(all)
    .flatMap(([directive, sources]) => (sources ? [`${directive} ${[...new Set(sources)].join(' ')}`] : []))
    .join('; ')
}
