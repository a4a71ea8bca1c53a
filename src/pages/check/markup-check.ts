// What the markup of a page may have besides its scripts: few elements, fewer attributes, and nothing that runs.

import type { PageEntry } from '../inventory.ts'
import type { Markup, Tag } from './markup.ts'

/** The elements of our documents, and the attributes that they have. A script draws the rest. */
const document_elements: Record<string, string[]> = {
  html: ['lang', 'dir', 'data-theme'],
  head: [],
  meta: ['charset', 'name', 'content'],
  title: [],
  link: ['rel', 'href', 'integrity', 'crossorigin'],
  style: [],
  body: [],
  main: ['id'],
  noscript: [],
  script: ['type', 'id', 'defer', 'src', 'integrity', 'crossorigin'],
}

/** Those of the pages that nest a bank's, which work without a script. */
const frame_elements: Record<string, string[]> = {
  ...document_elements,
  body: ['data-origins', 'data-back'],
  header: [],
  h1: [],
  a: ['href'],
  p: ['role'],
  form: ['method', 'action', 'target'],
  input: ['type', 'name', 'value'],
  button: [],
  iframe: ['name', 'title', 'sandbox', 'allow', 'hidden'],
}

export function markupDifferences({ tags, oddities }: Markup, kind: PageEntry['kind']): string[] {
  const elements = kind === 'frame' ? frame_elements : document_elements
  return [
    ...oddities.map((text) => `The page has “${text}”, which is not ours.`),
    ...tags.flatMap((tag) => tagDifferences(tag, elements[tag.name])),
  ]
}

export function isStyleSheet({ name, attributes }: Tag): boolean {
  return name === 'link' && attributes.get('rel') === 'stylesheet'
}

/** `known` are its attributes, undefined where the element itself is not known. */
function tagDifferences(tag: Tag, known: string[] | undefined): string[] {
  const { name, attributes } = tag
  const wrong = [...attributes].flatMap(([attribute, value]) => {
    if (attribute.startsWith('on')) return [`<${name}> has the event handler ${attribute}.`]
    if (isScriptAddress(value)) return [`${attribute} of <${name}> is a javascript: address.`]
    return known?.includes(attribute) === false
      ? [`<${name}> has ${attribute}, which is not ours.`]
      : []
  })
  const leads = name === 'link' && !isStyleSheet(tag) && attributes.get('href') !== 'data:,'
  return [
    ...(known ? [] : [`The page has <${name}>, which is not ours.`]),
    ...(leads ? [`<link> leads to ${attributes.get('href')}, which is not ours.`] : []),
    ...wrong,
  ]
}

/** Browsers overlook white space and control characters in an address. */
function isScriptAddress(value: string): boolean {
  return /^(javascript|vbscript):/i.test(value.replace(/[\0-\x20]/g, ''))
}
