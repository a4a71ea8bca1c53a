// The API's description as a page for people, served from here and loading nothing from elsewhere.

import { createHash } from 'node:crypto'
import { catalogue } from '../errors.ts'
import { escapeHtml } from '../html.ts'
import type { OpenApiDocument, Operation } from './openapi.ts'
import type { PageAnswer } from './pages.ts'

export function docsPage(document: OpenApiDocument): PageAnswer {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
  const html =
    `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">` +
    `<title>${escapeHtml(document.info.title)} API</title><style>${style}</style></head><body>` +
    `<header><h1>${escapeHtml(document.info.title)} API</h1><p>${escapeHtml(document.info.description)}</p>` +
    `<p>Version ${document.info.version} · <a href="/openapi.json">openapi.json</a></p></header>` +
    `<nav aria-label="Routes"><ul>${operations.map(linkOf).join('')}</ul></nav>` +
    `<main>${operations.map(sectionOf).join('')}${refusalsSection()}</main></body></html>`
  const policy = `default-src 'none'; style-src 'sha256-${styleHash}'; base-uri 'none'; frame-ancestors 'none'`
  return { status: 200, body: html, headers: { 'content-security-policy': policy } }
}

type Listed = { method: string; path: string; operation: Operation }

function linkOf({ method, path, operation }: Listed): string {
  return `<li><a href="#${operation.operationId}"><b>${method.toUpperCase()}</b><span>${escapeHtml(path)}</span></a></li>`
}

function sectionOf({ method, path, operation }: Listed): string {
  const body = operation.requestBody?.content['application/json'].schema
  const [status, success] = Object.entries(operation.responses).find(([code]) => code < '300')!
  return (
    `<section id="${operation.operationId}"><h2>${escapeHtml(operation.summary)}</h2>` +
    `<p class="route"><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code></p>` +
    (operation.description ? `<p>${escapeHtml(operation.description)}</p>` : '') +
    `<p>${doorText(operation)}</p>` +
    parametersOf(operation) +
    (body ? `<h3>Body</h3>${fieldsOf(body as Schema)}` : '') +
    `<h3>Answer ${status}</h3>${answersOf(success.content)}` +
    `<h3>Refusals</h3>${refusalsOf(operation)}</section>`
  )
}

/** One table, or one for each of the messages that a stream has. */
function answersOf(content: object | undefined): string {
  const [answer] = Object.values(content ?? {}) as { schema: Schema }[]
  const schemas = answer?.schema.anyOf ?? [answer?.schema]
  return schemas.map(fieldsOf).join('')
}

/** Errors of checkout.js lead here by their code. */
function refusalsSection(): string {
  const rows = Object.entries(catalogue).map(
    ([code, { status, when }]) =>
      `<dt id="${code}"><code>${code}</code> ${status}</dt><dd>${escapeHtml(when)}</dd>`,
  )
  return `<section id="refusals"><h2>Every refusal</h2><dl>${rows.join('')}</dl></section>`
}

function doorText(operation: Operation): string {
  const [door] = operation.security.flatMap(Object.keys)
  if (door === 'secret_key')
    return 'Secret key in <code>X-Service-Api-Key</code>, server side only.'
  if (door === 'bearer_key')
    return 'Secret key as <code>Authorization: Bearer</code>, or as the user name of Basic; server side only.'
  return door ? 'The session’s client secret in <code>Rip-Client-Secret</code>.' : 'No key.'
}

function parametersOf(operation: Operation): string {
  const kinds = { header: 'Header', query: 'Query' }
  return operation.parameters
    .map(({ name, in: place, required, description }) =>
      place === 'path'
        ? ''
        : `<p>${kinds[place]} <code>${name}</code>, ${required ? 'required' : 'optional'}. ${escapeHtml(description ?? '')}</p>`,
    )
    .join('')
}

type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  pattern?: string
  format?: string
  description?: string
}

/** A table a level: one row a field, nested fields with their path. */
function fieldsOf(schema: Schema | undefined): string {
  const rows = schema ? rowsOf(schema, '') : []
  if (rows.length === 0) return '<p>None.</p>'
  return (
    `<div class="scroll" tabindex="0"><table><thead><tr><th>Field</th><th>Type</th><th>Rule</th></tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`
  )
}

function rowsOf(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, raw]) => {
    const field = unwrap(raw)
    const path = `${prefix}${name}`
    const required = schema.required?.includes(name) ? '' : ' <i>optional</i>'
    const row = `<tr><td><code>${escapeHtml(path)}</code>${required}</td><td>${escapeHtml(typeOf(raw))}</td><td>${escapeHtml(ruleOf({ ...field, description: raw.description ?? field.description }))}</td></tr>`
    const inner = field.items
      ? rowsOf(unwrap(field.items), `${path}[].`)
      : rowsOf(field, `${path}.`)
    return [row, ...inner]
  })
}

/** The schema beside null, where a field may be null. */
function unwrap(schema: Schema): Schema {
  return schema.anyOf?.find((each) => each.type !== 'null') ?? schema
}

function typeOf(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.const !== undefined || schema.enum) return 'string'
  const type = [schema.type ?? 'any'].flat().join(' or ')
  return schema.format === 'date-time' ? 'timestamp' : type
}

function ruleOf(schema: Schema): string {
  const rules = [
    schema.description,
    schema.enum?.map(String).join(', '),
    schema.const !== undefined && String(schema.const),
    schema.minimum !== undefined &&
      schema.maximum !== undefined &&
      schema.maximum < Number.MAX_SAFE_INTEGER &&
      `${schema.minimum} to ${schema.maximum}`,
    schema.maxLength !== undefined && `at most ${schema.maxLength} characters`,
    schema.maxItems !== undefined && `at most ${schema.maxItems}`,
  ]
  return rules.filter(Boolean).join('; ')
}

function refusalsOf(operation: Operation): string {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => status >= '400')
    .flatMap(([status, { description }]) =>
      description.split('\n\n').map((line) => {
        const [, code, when] = /^`(\w+)`: (.*)$/.exec(line) ?? [null, '', line]
        return `<tr><td>${status}</td><td><code>${code}</code></td><td>${escapeHtml(when!)}</td></tr>`
      }),
    )
  return (
    `<div class="scroll" tabindex="0"><table><thead><tr><th>Status</th><th>error</th><th>When</th></tr></thead>` +
    `<tbody>${rows.join('')}</tbody></table></div>`
  )
}

const style = `
:root{color-scheme:light dark;--ink:#1c1e21;--soft:#5b616a;--line:#d8dce2;--paper:#fff;--tint:#f5f6f8;--link:#0b57d0}
@media(prefers-color-scheme:dark){:root{--ink:#e8eaed;--soft:#a9b0b9;--line:#3a3f46;--paper:#16181b;--tint:#1f2226;--link:#8ab4f8}}
body{margin:0 auto;max-width:60rem;padding:1.5rem;font:16px/1.55 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.9rem;margin:0}h2{margin:0 0 .3rem;font-size:1.35rem}h3{margin:1.2rem 0 .4rem;font-size:1rem}
a{color:var(--link)}header p{color:var(--soft);margin:.4rem 0}nav ul{list-style:none;padding:1rem;background:var(--tint);border-radius:.6rem}
nav a{display:flex;padding:.2rem 0;text-decoration:none;align-items:baseline}nav a:hover span{text-decoration:underline}nav span{overflow-wrap:anywhere}nav b,.route b{display:inline-block;flex:none;min-width:3.6rem;font-size:.8rem;letter-spacing:.03em}
section{border-top:1px solid var(--line);padding:2rem 0 1rem}.route{margin:.2rem 0;overflow-wrap:anywhere}
code{font:.88em ui-monospace,monospace}.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem}th,td{text-align:left;vertical-align:top;padding:.4rem .6rem;border-bottom:1px solid var(--line)}
th{color:var(--soft);font-weight:600}i{color:var(--soft);font-size:.85em;font-style:normal}
@media(max-width:40rem){body{padding:1rem;overflow-wrap:anywhere}dd{margin-left:1rem}
thead{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}table,tbody,tr{display:block}
tr{padding:.5rem 0;border-bottom:1px solid var(--line)}td{display:inline;padding:0 .5rem 0 0;border:0}td+td{color:var(--soft)}td:last-child{display:block;color:inherit}}`
const styleHash = createHash('sha256').update(style).digest('base64')
