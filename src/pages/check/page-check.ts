// Compares a served page, the files that it loads and its headers with what this release would serve, byte for byte.

import type { PageAnswer } from '../../http/pages.ts'
import type { TextAnswer } from '../../kernel/world.ts'
import type { Assets } from '../assets.ts'
import { guardingHeaders, integrityOf, type PageEntry, placeholders, type ScriptEntry } from '../inventory.ts'
import { answerFault, expectedPage, NotMade, type Read, type ServedPage, trustedOrigins } from './expected-page.ts'

/** What `ripper page check` cannot see. Its help and the inventory show the same list. */
export const check_limits = [
  "It compares the card fields and the hosted page with the configuration that the same service gives. An attacker who controls the service, its database or the way to it can make both agree. It then does not see changed keys, prices, appearances and addresses. Only the publishable key or handle in the page's address comes from you.",
  'Without --origin it takes the origins that may frame a page from the page itself.',
  "It reads the page once, from one place, without cookies. It does not see what others get, what comes at another time, or what a browser's extension adds.",
  "It does not compare the demo shop's key, goods and link, or the bank to which a challenge or 3DS Method is posted with its data.",
  "It does not check the shop's own page around the frame. The shop has to do that.",
]

/**
 * One line for each thing that was compared, one for each that could not be, and each difference in words. Without a difference the
 * page is as this release serves it.
 */
export type Report = { checked: string[]; not_checked: string[]; differences: string[] }

/** Whether the origins that may frame a page differ between shops. */
export function namesOrigins({ headers }: PageEntry): boolean {
  return headers['content-security-policy']?.includes(placeholders.allowed) ?? false
}

export async function comparePage(
  entry: PageEntry,
  { served, assets, read }: { served: ServedPage; assets: Assets; read: Read },
): Promise<Report> {
  const { page } = served
  if (page.status !== 200) {
    const to = page.headers.location ? ` and leads to ${page.headers.location}` : ''
    return unlike(`The answer is ${page.status}${to}, not 200.`)
  }
  try {
    const expected = await expectedPage(entry.name, { served, assets, read })
    const files = [...entry.scripts, ...entry.styles].filter(({ path }) => path !== null)
    const faults = await Promise.all(files.map((file) => fileDifferences(file, served.service, read)))
    return {
      ...reach(entry, files, served),
      differences: [
        ...bodyDifferences(entry, page, expected),
        ...faults.flat(),
        ...headerDifferences(guardingHeaders(expected.headers, entry.kind), page.headers),
      ],
    }
  } catch (error) {
    if (error instanceof NotMade) return unlike(error.message)
    throw error
  }
}

function unlike(difference: string): Report {
  return { checked: [], not_checked: [], differences: [difference] }
}

/** What was compared, and what was not: without --origin a manipulated page could name any origin. */
function reach(entry: PageEntry, files: ScriptEntry[], served: ServedPage): Omit<Report, 'differences'> {
  const { name, kind, scripts, styles, headers } = entry
  const parts = [...scripts, ...styles].map(({ name, way }) => `${name} (${way})`).join(', ')
  const origins = namesOrigins(entry) ? trustedOrigins(name, served).join(', ') : null
  const has_configuration = name === 'card-fields' || name === 'hosted-page'
  const checked = [
    kind === 'script' ? `the script itself, ${name}` : `its text, byte for byte, with its scripts and styles: ${parts}`,
    files.length > 0 && `each byte of the files that it loads: ${files.map(({ name }) => name).join(', ')}`,
    has_configuration && "what its script is told: as the service's configuration read says, in this release's words",
    kind === 'frame' && 'where it leads back to: a page of the origins that it trusts',
    origins && served.origins && `the origins that it trusts: ${origins}`,
    `its headers: ${Object.keys(headers).join(', ')}`,
  ]
  const is_unnamed = origins !== null && served.origins === null
  const unnamed = `whether the origins that may frame it are yours, because none was named: ${origins}`
  return { checked: checked.filter((line) => typeof line === 'string'), not_checked: is_unnamed ? [unnamed] : [] }
}

function bodyDifferences({ kind, scripts }: PageEntry, { body }: TextAnswer, expected: PageAnswer): string[] {
  if (body === expected.body) return []
  if (kind === 'script') return [otherHash(`The script ${scripts[0]!.name}`, body, scripts[0]!)]
  const { at, theirs, ours } = beginning(body, expected.body)
  const before = body.slice(0, at).split('\n')
  const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`
  return [`The page differs from ${place} on: it has “${theirs}” and should have “${ours}”.`]
}

async function fileDifferences(file: ScriptEntry, service: string, read: Read): Promise<string[]> {
  const address = service + file.path
  const answer = await read(address)
  const fault = answerFault(`The file ${address}`, answer)
  if (fault !== null) return [fault]
  const { body } = answer as TextAnswer
  return body === file.text ? [] : [otherHash(`The file ${address}`, body, file)]
}

function otherHash(subject: string, body: string, { integrity }: ScriptEntry): string {
  return `${subject} is not that of this release: its hash is ${integrityOf(body)}, not ${integrity}.`
}

/** Headers that make a browser load, reveal or leave something. Headers that proxies add to any answer are not listed. */
const meddling = [
  'access-control-allow-credentials',
  'access-control-allow-origin',
  'content-security-policy-report-only',
  'link',
  'refresh',
  'service-worker-allowed',
  'sourcemap',
  'x-frame-options',
]

type Headers = Record<string, string>

function headerDifferences(expected: Headers, theirHeaders: Headers): string[] {
  const wrong = Object.entries(expected).flatMap(([name, value]) => {
    const header = theirHeaders[name]
    if (header === undefined) return [`The header ${name} is missing.`]
    // Proxies spell the charset in different ways.
    const is_same = name === 'content-type' ? compact(header) === compact(value) : header === value
    if (is_same) return []
    const { theirs, ours } = beginning(header, value)
    return [`The header ${name} is “${theirs}” and should be “${ours}”.`]
  })
  const added = meddling.filter((name) => name in theirHeaders && !(name in expected))
  return [...wrong, ...added.map((name) => `The header ${name}, “${excerpt(theirHeaders[name]!)}”, is not ours.`)]
}

function compact(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '')
}

/** Where two texts begin to differ, from the start of a tag, of a member or of a directive on, if one starts shortly before. */
function beginning(their_text: string, own: string): { at: number; theirs: string; ours: string } {
  let at = 0
  while (at < own.length && their_text[at] === own[at]) at += 1
  const start = Math.max(at - 160, 0)
  const lead = own.slice(start, at)
  const from = start + Math.max(lead.lastIndexOf('<'), lead.lastIndexOf(',') + 1, lead.lastIndexOf('; ') + 1, 0)
  return { at, theirs: excerpt(their_text.slice(from), at - from), ours: excerpt(own.slice(from), at - from) }
}

function excerpt(text: string, more = 0): string {
  const length = more + 120
  return text.length > length ? `${text.slice(0, length).trim()}…` : text.trim()
}
