// A shopper's browser, as far as banks' pages need one: it posts forms and lets pages post themselves.

import type { Form } from '../../src/three-ds/three-ds.ts'

/** `form` is the page's first form; pages that post themselves have been followed already. */
export type Page = { url: string; status: number; html: string; form: Form | null }

export type Arrival = { url: string; fields: Record<string, string> }

/** Where a form led: to a page that waits, or to an address of ours, which is not asked. */
export type Visit = { page: Page; arrival: null } | { page: null; arrival: Arrival }

/** Posts a form and follows self-posting pages until one waits, or leads to an address that `isOurs`. */
export async function post(form: Form, isOurs: (url: string) => boolean): Promise<Visit> {
  if (isOurs(form.action)) {
    return { page: null, arrival: { url: form.action, fields: form.fields } }
  }
  const answer = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(form.fields),
  })
  const html = await answer.text()
  const page = { url: form.action, status: answer.status, html, form: formIn(html) }
  const posts_itself = html.includes('.submit()</script>')
  return posts_itself && page.form ? post(page.form, isOurs) : { page, arrival: null }
}

/** Opens a page, as a frame does, and posts the form that it would post. */
export async function open(url: string, isOurs: (url: string) => boolean): Promise<Visit> {
  const answer = await fetch(url)
  const html = await answer.text()
  const form = formIn(html)
  if (form) return post(form, isOurs)
  return { page: { url, status: answer.status, html, form }, arrival: null }
}

/** Fills in a page's form and presses one of its buttons. */
export function typed(page: Page, fields: Record<string, string>): Form {
  if (!page.form) throw new Error('the page has no form')
  return { action: page.form.action, fields: { ...page.form.fields, ...fields } }
}

function formIn(html: string): Form | null {
  const action = /<form [^>]*action="([^"]*)"/.exec(html)?.[1]
  if (action === undefined) return null
  const hidden = html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)
  const fields = [...hidden].map(([, name, value]) => [unescapeHtml(name!), unescapeHtml(value!)])
  return { action: unescapeHtml(action), fields: Object.fromEntries(fields) }
}

function unescapeHtml(text: string): string {
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
}
