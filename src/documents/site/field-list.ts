// Shows the fields of a body as a list: name, type, whether the field is optional, its rules and its values.

import { escapeHtml } from '../../kernel/html.ts'
import type { Schema } from '../../kernel/json-schema.ts'
import { alternatives, type Depth, type Field, fieldsOf, isNullable, valuesOf } from './schema.ts'

/**
 * HTML: one list for each shape that the body may have. A request shows every field, because the caller has to write it. An answer
 * links to its named types.
 */
export function fieldList(
  schema: Schema | undefined,
  side: 'request' | 'answer',
  depth: Depth = side === 'request' ? 'every field' : 'named types closed',
): string {
  const shapes = schema ? alternatives(schema) : []
  const lists = shapes
    .map((each) => ({
      name: each === schema ? undefined : each.title,
      fields: fieldsOf(each, depth),
    }))
    .filter(({ fields }) => fields.length > 0)
  if (lists.length === 0) return '<p class="none">None.</p>'
  return lists
    .map(
      ({ name, fields }) =>
        `${name === undefined ? '' : `<p class="type">${typeLink(name)}</p>`}` +
        `<dl class="fields">${fields.map((each) => row(each, side)).join('')}</dl>`,
    )
    .join('')
}

function row({ path, schema, is_required }: Field, side: 'request' | 'answer'): string {
  const [, parents, name] = /^(.*[.])?(.*)$/.exec(path)!
  const presence = is_required ? (side === 'request' ? 'required' : '') : 'optional'
  const parent = parents ? `<span>${escapeHtml(parents)}</span>` : ''
  const rules = [rulesOf(schema), valueList(schema)].filter(Boolean).join(' ')
  return (
    `<div><dt><code>${parent}${escapeHtml(name!)}</code> <span class="type">${typeOf(schema)}</span>` +
    `${presence ? ` <span class="${presence}">${presence}</span>` : ''}</dt>` +
    `${rules ? `<dd>${rules}</dd>` : ''}</div>`
  )
}

/** A link to the place of a named type. */
export function typeLink(name: string): string {
  return `<a href="#${name}">${name}</a>`
}

function typeOf(schema: Schema): string {
  const names = alternatives(schema).map(nameOf)
  if (isNullable(schema)) names.push('null')
  return [...new Set(names)].join(' or ')
}

function nameOf({ title, type, items, const: value, enum: values, format }: Schema): string {
  if (title !== undefined) return typeLink(title)
  if (items) return `list of ${plural(items)}`
  const [only] = value === undefined ? (values ?? []) : [value]
  if (type === undefined && only !== undefined) return typeof only
  if (format === 'date-time') return 'timestamp'
  const names = [type ?? 'any'].flat().filter((each) => each !== 'null')
  return names.join(' or ')
}

function plural(items: Schema): string {
  return typeOf(items)
    .split(' or ')
    .map((name) => `${name}s`)
    .join(' or ')
}

function valueList(schema: Schema): string {
  const values = valuesOf(schema)
  if (values.length === 0) return ''
  const codes = values.map((value) => `<code>${escapeHtml(String(value))}</code>`).join(' ')
  return `<span class="values">${values.length > 1 ? 'One of ' : 'Always '}${codes}</span>`
}

function rulesOf(schema: Schema): string {
  const rules = [schema, ...alternatives(schema)].flatMap((each) => [
    each.description,
    bounds(each, Number.MAX_SAFE_INTEGER),
    each.maxLength !== undefined &&
      `${each.minLength ? `${each.minLength} to` : 'at most'} ${number(each.maxLength)} characters`,
    each.maxItems !== undefined && `at most ${number(each.maxItems)} entries`,
    each.maxProperties !== undefined && `at most ${number(each.maxProperties)} entries`,
    each.pattern && each.pattern.length < 40 && !each.description && `matches “${each.pattern}”`,
  ])
  const text = [...new Set(rules)].filter(Boolean).join('; ')
  return text && `${escapeHtml(text[0]!.toUpperCase() + text.slice(1))}.`
}

/** Leaves out the bounds that every whole number has in JavaScript. */
function bounds({ minimum, maximum }: Schema, safe: number): string | false {
  const least = minimum !== undefined && minimum > -safe ? number(minimum) : null
  const most = maximum !== undefined && maximum < safe ? number(maximum) : null
  if (least !== null && most !== null) return `${least} to ${most}`
  if (most !== null) return `at most ${most}`
  return least !== null && `at least ${least}`
}

function number(value: number): string {
  return value.toLocaleString('en')
}
