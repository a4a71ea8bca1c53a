// Compares the context that a page gives its script (payee, appearance, words) with the configuration that the service gives.

import { isDeepStrictEqual } from 'node:util'
import { languageFor } from '../../kernel/words.ts'
import type { TextAnswer } from '../../kernel/world.ts'
import type { PageEntry } from '../inventory.ts'
import { answerFault, type Files } from './load-check.ts'
import type { Tag } from './markup.ts'

type Place = { url: string; service: string }

/** The address of the configuration that a page's context must agree with; null for pages without one. */
export function configurationAddress({ name }: PageEntry, { url, service }: Place): string | null {
  const subject = subjectOf(url)
  if (name === 'hosted-page') return `${service}/v1/checkout/handles/${subject}`
  if (name !== 'card-fields') return null
  const integration = new URL(url).searchParams.get('integration')
  const query = integration === null ? '' : `?integration=${encodeURIComponent(integration)}`
  return `${service}/v1/checkout/config/${subject}${query}`
}

/** The publishable key or the handle. */
function subjectOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1)!
}

type Members = Record<string, unknown>

/** The context in a document's tags. Null unless there is exactly one block that the script would read. */
export function contextOf(tags: Tag[]): Members | null {
  const blocks = tags.filter((tag) => isContext(tag) || tag.attributes.get('id') === 'context')
  const [block] = blocks
  if (blocks.length !== 1 || !isContext(block!)) return null
  return objectIn(block!.text!)
}

/** Whether a tag is the context: a block of JSON, which a browser does not run. */
export function isContext({ name, attributes }: Tag): boolean {
  return (
    name === 'script' &&
    attributes.get('type') === 'application/json' &&
    attributes.get('id') === 'context' &&
    !attributes.has('src')
  )
}

/** Each difference, in words. `files` has the answer of `configurationAddress`. */
export function contextDifferences(
  entry: PageEntry,
  { tags, files, ...place }: Place & { tags: Tag[]; files: Files },
): string[] {
  const told = contextOf(tags)
  if (told === null) return ['The page does not have exactly one context, as an object in JSON.']
  const address = configurationAddress(entry, place)
  if (address === null) return differing(told, { base_url: place.service })
  const file = files.get(address)
  const fault = answerFault(`The service's configuration, ${address},`, file)
  if (fault !== null) return [fault]
  const config = objectIn((file as TextAnswer).body)
  if (config === null) return [`The service's configuration, ${address}, is not an object in JSON.`]
  const own = entry.name === 'card-fields' ? fieldsDifferences : hostedDifferences
  return [...own(told, config, place), ...fieldsUrlDifferences(config, place), ...wordDifferences(told)]
}

function fieldsDifferences(told: Members, config: Members, { url }: Place): string[] {
  const { public_key, appearance, methods } = config
  const [card] = Array.isArray(methods) ? methods : []
  const key = subjectOf(url)
  const other = public_key !== key
  return [
    ...(other ? [`The service's configuration belongs to ${said(public_key)}, not to ${key}.`] : []),
    ...differing(told, { public_key: key, appearance, brands: card?.brands }),
  ]
}

function hostedDifferences(told: Members, config: Members, { url, service }: Place): string[] {
  return [
    ...differing(told, { handle: subjectOf(url), base_url: service }),
    ...differing((told.config ?? {}) as Members, config, 'config.'),
  ]
}

/** Checks the address of the card fields, because the card goes to the server that serves them. */
function fieldsUrlDifferences({ card_fields_url, public_key }: Members, place: Place): string[] {
  const ours = `${place.service}/card-fields/${public_key}`
  const [address] = String(card_fields_url).split('?')
  if (address === ours) return []
  return [`The service's configuration has the card fields at ${card_fields_url}, not ${ours}.`]
}

/** Compares the words of the page with the words of this release in the same language. */
function wordDifferences(told: Members): string[] {
  const { locale, words } = languageFor(String(told.locale), null)
  if (locale !== told.locale) return [`The page is in ${said(told.locale)}, which is not ours.`]
  const own = (told.words ?? {}) as Members
  const wrong = Object.keys({ ...words, ...own }).filter((key) => own[key] !== words[key])
  return wrong.length === 0 ? [] : [`The words of the page are changed: ${wrong.join(', ')}.`]
}

function differing(told: Members, expected: Members, within = ''): string[] {
  return Object.entries(expected).flatMap(([name, value]) =>
    isDeepStrictEqual(told[name], value)
      ? []
      : [`${within}${name} of the context is ${said(told[name])}, not ${said(value)}.`],
  )
}

function said(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function objectIn(text: string): Members | null {
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}
