// Checks the origins that a page trusts: those that may frame it and receive its messages, and those to which it leads back.

import { backTo } from '../../checkout/authentication/framed-page.ts'
import { type PageEntry, placeholders } from '../inventory.ts'
import { contextOf } from './context-check.ts'
import type { Tag } from './markup.ts'

/** Whether the origins that may frame a page differ between shops. */
export function namesOrigins({ headers }: PageEntry): boolean {
  return headers['content-security-policy']?.includes(placeholders.allowed) ?? false
}

/** The origins that the page itself names. */
export function framersOf({ kind }: PageEntry, tags: Tag[]): string[] {
  const body = tags.find(({ name }) => name === 'body')
  const named = kind === 'frame' ? parsed(body?.attributes.get('data-origins') ?? '[]') : contextOf(tags)?.origins
  return [named].flat().filter((origin) => typeof origin === 'string')
}

/** The page must name exactly the expected origins. */
export function originDifferences(named: string[], expected: string[]): string[] {
  const extra = named.filter((origin) => !expected.includes(origin))
  const lacking = expected.filter((origin) => !named.includes(origin))
  return [
    ...extra.map((origin) => `The page trusts ${origin}, which is not ours.`),
    ...lacking.map((origin) => `The page does not trust ${origin}.`),
  ]
}

/** A page that nests a bank's page must lead back to one of the origins, by its script and by its link. */
export function backDifferences(tags: Tag[], origins: string[]): string[] {
  const body = tags.find(({ name }) => name === 'body')
  const addresses = tags.flatMap(({ name, attributes }) => {
    const address = attributes.get('href')
    return name === 'a' && address !== undefined ? [address] : []
  })
  const back = body?.attributes.get('data-back')
  return [...new Set(back === undefined ? addresses : [back, ...addresses])]
    .filter((address) => backTo(address, origins) === null)
    .map((address) => `The page leads back to ${address}, which is not ours.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
