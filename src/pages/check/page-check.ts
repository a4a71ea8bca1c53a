// Compares a served page with the inventory: what a browser would run there, and the headers that limit it.

import type { TextAnswer } from '../../kernel/world.ts'
import type { PageEntry, ScriptEntry } from '../inventory.ts'
import { configurationAddress, contextDifferences, isContext } from './context-check.ts'
import { headerDifferences } from './header-check.ts'
import { addressOf, type Files, fileFault, linkOf, loadedDifferences, unknown } from './load-check.ts'
import { readMarkup, type Tag } from './markup.ts'
import { isStyleSheet, markupDifferences } from './markup-check.ts'
import { backDifferences, framersOf, namesOrigins, originDifferences } from './origin-check.ts'

/** What the service answered. */
type FetchedPage = {
  url: string
  /** The origin of scripts. */
  service: string
  /** The origins that may frame the page, besides the service's own; null if the caller named none. */
  origins: string[] | null
  page: TextAnswer
  /** The answers of every address of `filesOf`. */
  files: Files
}

/**
 * One line for each thing that was compared, one for each that could not be, and each difference in words. Without a difference the
 * page is as this release serves it.
 */
export type Report = { checked: string[]; not_checked: string[]; differences: string[] }

/** The addresses to read with a page: its links, its scripts on demand, and its configuration. */
export function filesOf(
  entry: PageEntry,
  { url, service, page }: Pick<FetchedPage, 'url' | 'service' | 'page'>,
): string[] {
  const linked = readMarkup(entry.kind === 'script' ? '' : page.body).tags.flatMap((tag) => {
    const address = addressOf(linkOf(tag), url)
    // A script from another server is a difference in any case, so that server is not asked.
    return address?.startsWith(`${service}/`) ? [address] : []
  })
  const demanded = onDemand(entry).map(({ path }) => service + path)
  const configuration = configurationAddress(entry, { url, service })
  return [...new Set([...linked, ...demanded, ...(configuration ? [configuration] : [])])]
}

export function comparePage(entry: PageEntry, seen: FetchedPage): Report {
  const { page } = seen
  if (page.status !== 200) {
    const to = page.headers.location ? ` and leads to ${page.headers.location}` : ''
    return {
      checked: [],
      not_checked: [],
      differences: [`The answer is ${page.status}${to}, not 200.`],
    }
  }
  const parts = [
    ...(entry.kind === 'script' ? [wholeScript(entry, page)] : documentParts(entry, seen)),
    ...onDemand(entry).map((script) => demandedPart(script, seen)),
    headersPart(entry, seen),
  ]
  return {
    checked: parts.map(({ checked }) => checked),
    not_checked: unnamed(entry, seen),
    differences: parts.flatMap(({ differences }) => differences),
  }
}

type PartCheck = { checked: string; differences: string[] }

function onDemand({ scripts }: PageEntry): ScriptEntry[] {
  return scripts.filter(({ way }) => way === 'on demand')
}

function wholeScript(entry: PageEntry, page: TextAnswer): PartCheck {
  const own = entry.scripts[0]!
  const wrong = page.body === own.text ? [] : [unknown(`The script`, page.body)]
  return { checked: `the script itself, ${own.name}`, differences: wrong }
}

function demandedPart(script: ScriptEntry, { service, files }: FetchedPage): PartCheck {
  const address = service + script.path
  const fault = fileFault(address, script, files.get(address))
  return {
    checked: `${script.name}, which checkout.js adds when it is needed`,
    differences: fault ? [fault] : [],
  }
}

function documentParts(entry: PageEntry, seen: FetchedPage): PartCheck[] {
  const { url, files } = seen
  const markup = readMarkup(seen.page.body)
  const { tags } = markup
  const scripts = entry.scripts.filter(({ way }) => way !== 'on demand')
  const scriptTags = tags.filter((tag) => tag.name === 'script' && !isContext(tag))
  const styleTags = tags.filter((tag) => tag.name === 'style' || isStyleSheet(tag))
  return [
    {
      checked: `its scripts: ${scripts.map(({ name, way }) => `${name} (${way})`).join(', ')}`,
      differences: loadedDifferences('script', { tags: scriptTags, known: scripts, url, files }),
    },
    {
      checked: `its style sheet: ${entry.styles.map(({ name, way }) => `${name} (${way})`).join(', ')}`,
      differences: loadedDifferences('style sheet', {
        tags: styleTags,
        known: entry.styles,
        url,
        files,
      }),
    },
    {
      checked: 'no other element, no event handler in the markup, no javascript: address',
      differences: markupDifferences(markup, entry.kind),
    },
    ...toldParts(entry, { tags, seen }),
  ]
}

/** The parts about what the page tells its script. */
function toldParts(entry: PageEntry, { tags, seen }: { tags: Tag[]; seen: FetchedPage }): PartCheck[] {
  const { url, service, files, origins } = seen
  const framers = framersOf(entry, tags)
  const context = {
    checked: configurationAddress(entry, seen)
      ? "what its script is told: as the service's configuration read says, in this release's words"
      : "what its script is told: the service's address",
    differences: entry.kind === 'document' ? contextDifferences(entry, { tags, url, service, files }) : [],
  }
  const framing = {
    checked: `the origins that it trusts: ${[...new Set([service, ...(origins ?? [])])].join(', ')}`,
    differences: origins ? originDifferences(framers, [service, ...origins]) : [],
  }
  const back = {
    checked: 'where it leads back to: a page of those origins',
    differences: backDifferences(tags, [service, ...(origins ?? framers)]),
  }
  return [
    ...(entry.kind === 'document' ? [context] : []),
    ...(origins && namesOrigins(entry) ? [framing] : []),
    ...(entry.kind === 'frame' ? [back] : []),
  ]
}

/** Without --origin only the page names the origins that it trusts, and a manipulated page could name any. */
function unnamed(entry: PageEntry, { origins, page }: FetchedPage): string[] {
  if (origins || !namesOrigins(entry)) return []
  const framers = framersOf(entry, readMarkup(page.body).tags).join(', ')
  return [`whether the origins that may frame it are yours, because none was named: ${framers}`]
}

function headersPart(entry: PageEntry, { url, service, page, origins }: FetchedPage): PartCheck {
  const { tags } = readMarkup(entry.kind === 'script' ? '' : page.body)
  const action = tags.find(({ name }) => name === 'form')?.attributes.get('action') ?? null
  const bank = addressOf(action, url)
  return {
    checked: `its headers: ${Object.keys(entry.headers).join(', ')}`,
    differences: headerDifferences(entry.headers, page.headers, {
      service,
      allowed: [service, ...(origins ?? framersOf(entry, tags))],
      // The policy allows the service's own pages as 'self'.
      required: (origins ?? []).filter((origin) => origin !== service),
      bank: bank && new URL(bank).origin,
    }),
  }
}
