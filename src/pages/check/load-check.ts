// Checks that a page has each script and style sheet of the inventory once, and no other.

import type { TextAnswer } from '../../kernel/world.ts'
import { integrityOf, type ScriptEntry } from '../inventory.ts'
import type { Tag } from './markup.ts'
import { isStyleSheet } from './markup-check.ts'

/** By address: the answer, or the reason why there is none. */
export type Files = ReadonlyMap<string, TextAnswer | string>

/** The address of a script or style sheet; null if it is inline. */
export function linkOf(tag: Tag): string | null {
  if (tag.name === 'script') return tag.attributes.get('src') ?? null
  return isStyleSheet(tag) ? (tag.attributes.get('href') ?? '') : null
}

export function addressOf(link: string | null, url: string): string | null {
  return link !== null && URL.canParse(link, url) ? new URL(link, url).href : null
}

/** `what` is "script" or "style sheet", `known` lists those that the page must have, and `url` is the page's address. */
export function loadedDifferences(
  what: string,
  { tags, known, url, files }: { tags: Tag[]; known: ScriptEntry[]; url: string; files: Files },
): string[] {
  const left = new Set(known)
  const wrong = tags.flatMap((tag) => {
    const link = linkOf(tag)
    const address = addressOf(link, url)
    const file = address === null ? undefined : files.get(address)
    const text = link === null ? tag.text! : typeof file === 'object' ? file.body : null
    const way = link === null ? 'inline' : 'linked'
    const found = [...left].find((each) => each.way === way && each.text === text)
    if (!found) return [strange(what, { tag, link: address ?? link, file, text })]
    left.delete(found)
    return link === null ? inlineFaults(found, tag) : linkFaults(found, tag, file as TextAnswer)
  })
  return [...wrong, ...[...left].map(({ name, way }) => `The ${way} ${what} ${name} is missing.`)]
}

function strange(
  what: string,
  of: { tag: Tag; link: string | null; file: TextAnswer | string | undefined; text: string | null },
): string {
  const { link, file, text } = of
  if (link === null) return unknown(`The inline ${what} “${text!.trim().slice(0, 60)}”`, text!)
  if (file === undefined) return `The ${what} ${link} comes from elsewhere.`
  if (text === null) return `The ${what} ${link} could not be read: ${file as string}.`
  return unknown(`The ${what} ${link}`, text)
}

export function unknown(subject: string, text: string): string {
  return `${subject} is not known: ${integrityOf(text)}.`
}

function inlineFaults({ name }: ScriptEntry, { attributes }: Tag): string[] {
  return attributes.size === 0 ? [] : [`The inline script or style ${name} has attributes.`]
}

function linkFaults(known: ScriptEntry, { attributes }: Tag, file: TextAnswer): string[] {
  const { name, integrity } = known
  const told = attributes.get('integrity')
  const faults = [
    told !== integrity &&
      `The link to ${name} has ${told ? `the integrity ${told}` : 'no integrity'}, not ${integrity}.`,
    !attributes.has('crossorigin') && `The link to ${name} lacks the attribute crossorigin.`,
    fileFault(`The file ${name}`, known, file),
  ]
  return faults.filter((fault) => typeof fault === 'string')
}

export function fileFault(
  subject: string,
  { text }: ScriptEntry,
  file: TextAnswer | string | undefined,
): string | null {
  const fault = answerFault(subject, file)
  if (fault !== null) return fault
  const { body } = file as TextAnswer
  return body === text ? null : unknown(subject, body)
}

/** The reason why an answer cannot be compared; null if it can. */
export function answerFault(subject: string, file: TextAnswer | string | undefined): string | null {
  if (typeof file === 'object') {
    return file.status === 200 ? null : `${subject} answers ${file.status}, not 200.`
  }
  return `${subject} could not be read: ${file ?? 'the check did not ask for it'}.`
}

/** What `ripper page check` cannot see. Its help and the inventory show the same list. */
export const check_limits = [
  "It compares the card fields and the hosted page with the configuration that the same service gives. An attacker who controls the service, its database or the way to it can make both agree. It then does not see changed keys, prices, appearances and addresses. Only the publishable key or handle in the page's address comes from you.",
  'Without --origin it takes the origins that may frame a page from the page itself.',
  "It reads the page once, from one place, without cookies. It does not see what others get, what comes at another time, or what a browser's extension adds.",
  "It does not compare the texts in a page's markup, the demo shop's goods, the hosts of the price list's pictures, or the bank to which a challenge or 3DS Method is posted.",
  "It does not check the shop's own page around the frame. The shop has to do that.",
]
