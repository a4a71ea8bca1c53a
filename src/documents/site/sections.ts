// A route or an event as a section of the reference: on the left what it takes and answers, on the right an example.

import { escapeHtml } from '../../kernel/html.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import type { Operation } from '../openapi/document.ts'
import type { NamedSchema } from '../openapi/named-schemas.ts'
import { fieldList, typeLink } from './field-list.ts'
import {
  answerExample,
  answerText,
  curlOf,
  type DocumentedOperation,
  requestExample,
  successStatus,
} from './operation-example.ts'

/** `mark` is a word that distinguishes the route from the native ones. */
export function operationSection(documentedOperation: DocumentedOperation, mark: string | undefined): string {
  const { method, path, operation } = documentedOperation
  const request = requestExample(documentedOperation)
  const answer = answerExample(documentedOperation)
  const body = operation.requestBody?.content['application/json'].schema as Schema | undefined
  const status = successStatus(operation)
  const success = operation.responses[status]!
  const [content] = Object.values(success.content ?? {}) as { schema: Schema }[]
  const verb = method.toUpperCase()
  return (
    `<section id="${operation.operationId}"><h3>${escapeHtml(operation.summary)}</h3>` +
    `<p class="route"><b class="${method}">${verb}</b> <code>${escapeHtml(path)}</code>` +
    `${mark ? ` <span class="mark">${mark}</span>` : ''}</p>` +
    (operation.description ? `<p>${escapeHtml(operation.description)}</p>` : '') +
    `<p class="door">${doorText(operation)}</p>` +
    pair(
      parameterList(operation) + (body ? `<h4>Body${typeNote(body)}</h4>${fieldList(body, 'request')}` : ''),
      panel('Request', curlOf(request)),
    ) +
    pair(
      `<h4>Answer ${status}${typeNote(content?.schema)}</h4>${fieldList(content?.schema, 'answer')}`,
      answer.type === 'none' ? panel(`Answer ${status}`, 'No body.') : panel(`Answer ${status}`, answerText(answer)),
    ) +
    `${refusalList(operation)}</section>`
  )
}

export function eventSection(
  { type, summary, id, schema }: { type: string; summary: string; id: string; schema: Schema },
  example: unknown,
): string {
  return (
    `<section id="${id}"><h3><code>${type}</code></h3><p>${escapeHtml(summary)}</p>` +
    pair(
      `<h4>Body${typeNote(schema)}</h4>${fieldList(schema, 'answer')}`,
      panel('Body', JSON.stringify(example, null, 2)),
    ) +
    '</section>'
  )
}

/** A named type, to which several places link. */
export function typeSection({ name, note, side, schema }: NamedSchema): string {
  return (
    `<section id="${name}"><h3><code>${name}</code></h3><p>${escapeHtml(note)}</p>` +
    `${fieldList(schema, side, 'named types closed')}</section>`
  )
}

function typeNote(schema: Schema | undefined): string {
  return schema?.title === undefined ? '' : ` <span class="type">${typeLink(schema.title)}</span>`
}

function pair(text: string, example: string): string {
  return `<div class="pair"><div>${text}</div><div class="example">${example}</div></div>`
}

function panel(title: string, text: string): string {
  return `<figure><figcaption>${title}</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>`
}

function doorText({ security }: Operation): string {
  const [door] = security.flatMap(Object.keys)
  if (door === 'secret_key') return 'Secret key in <code>X-Service-Api-Key</code>. For servers only.'
  if (door === 'bearer_key')
    return 'Secret key as <code>Authorization: Bearer</code>, or as the user name of Basic. For servers only.'
  return door ? 'The session’s client secret in <code>Rip-Client-Secret</code>. For pages.' : 'No key. For pages.'
}

function parameterList({ parameters }: Operation): string {
  const rows = parameters.map(({ name, in: place, required, description }) => {
    const presence = required ? 'required' : 'optional'
    return (
      `<div><dt><code>${escapeHtml(name)}</code> <span class="type">${place}</span> ` +
      `<span class="${presence}">${presence}</span></dt>` +
      `${description ? `<dd>${escapeHtml(sentence(description))}</dd>` : ''}</div>`
    )
  })
  return rows.length === 0 ? '' : `<h4>Parameters</h4><dl class="fields">${rows.join('')}</dl>`
}

function sentence(text: string): string {
  return text[0]!.toUpperCase() + text.slice(1) + (text.endsWith('.') ? '' : '.')
}

function refusalList(operation: Operation): string {
  const rows = Object.entries(operation.responses)
    .filter(([status]) => status >= '400')
    .flatMap(([status, { description }]) =>
      description.split('\n\n').map((line) => {
        const [, code, when] = /^`(\w+)`: (.*)$/.exec(line) ?? [null, '', line]
        const code_link = code ? `<a href="#${code}"><code>${code}</code></a> ` : ''
        return `<div><dt>${code_link}<span class="type">${status}</span></dt><dd>${escapeHtml(when!)}</dd></div>`
      }),
    )
  return `<details><summary>${rows.length} refusals</summary><dl class="fields">${rows.join('')}</dl></details>`
}
