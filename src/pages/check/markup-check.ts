// Checks the markup of a page besides its scripts: it may have few elements, few attributes, and nothing that runs.

import type { PageEntry } from '../inventory.ts'
import type { Markup, Tag } from './markup.ts'

/** The elements of our documents with their attributes. A script draws the rest of the page. */
const documentElements: Record<string, string[]> = {
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

/** The elements of pages that nest a bank's page. They work without a script. */
const frameElements: Record<string, string[]> = {
  ...documentElements,
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
  const elements = kind === 'frame' ? frameElements : documentElements
  return [
    ...oddities.map((text) => `The page has “${text}”, which is not ours.`),
    ...tags.flatMap((tag) => tagDifferences(tag, elements[tag.name])),
  ]
}

export function isStyleSheet({ name, attributes }: Tag): boolean {
  return name === 'link' && attributes.get('rel') === 'stylesheet'
}

/** `known` are the attributes of the element; undefined if the element is not known. */
function tagDifferences(tag: Tag, known: string[] | undefined): string[] {
  const { name, attributes } = tag
  const wrong = [...attributes].flatMap(([attribute, value]) => {
    if (attribute.startsWith('on')) return [`<${name}> has the event handler ${attribute}.`]
    if (isScriptAddress(value)) return [`${attribute} of <${name}> is a javascript: address.`]
    return known?.includes(attribute) === false ? [`<${name}> has ${attribute}, which is not ours.`] : []
  })
  const leads = name === 'link' && !isStyleSheet(tag) && attributes.get('href') !== 'data:,'
  return [
    ...(known ? [] : [`The page has <${name}>, which is not ours.`]),
    ...(leads ? [`<link> points to ${attributes.get('href')}, which is not ours.`] : []),
    ...wrong,
  ]
}

/** Browsers ignore white space and control characters in an address. */
function isScriptAddress(value: string): boolean {
  return /^(javascript|vbscript):/i.test(value.replace(/[\0-\x20]/g, ''))
}
