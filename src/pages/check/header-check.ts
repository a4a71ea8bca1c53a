// Compares the headers of a served page with those of the inventory, and says each difference in words.

import { isOrigin } from '../../merchants/integration.ts'
import { placeholders } from '../inventory.ts'

/** The origins for which the placeholders of the inventory may stand on one page. */
export type Origins = {
  service: string
  /** The origins that may be allowed to frame the page, and those that must be. */
  allowed: string[]
  required: string[]
  /** The origin to which the page's form is posted. */
  bank: string | null
}

type Headers = Record<string, string>

export function headerDifferences(expected: Headers, served: Headers, origins: Origins): string[] {
  const wrong = Object.entries(expected).flatMap(([name, value]) => {
    const found = served[name]
    if (found === undefined) return [`The header ${name} is missing.`]
    if (name === 'content-security-policy') return policyDifferences(value, found, origins)
    return sameValue(name, value, found) ? [] : [`The header ${name} is “${found}”, not “${value}”.`]
  })
  const added = meddling.filter((name) => name in served && !(name in expected))
  return [...wrong, ...added.map((name) => `The header ${name}, “${served[name]}”, is not ours.`)]
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

function sameValue(name: string, expected: string, found: string): boolean {
  // Proxies spell the charset in different ways.
  if (name === 'content-type') return compact(found) === compact(expected)
  return found === expected
}

function compact(text: string): string {
  return text.toLowerCase().replace(/\s+/g, '')
}

function policyDifferences(expected: string, found: string, origins: Origins): string[] {
  if (found.includes(',')) return ['The header content-security-policy came more than once.']
  const wanted = directives(expected)
  const given = directives(found)
  const names = [...new Set([...wanted, ...given].map(([name]) => name))]
  return names.flatMap((name) => {
    const ours = sourcesOf(wanted, name)
    const theirs = sourcesOf(given, name)
    if (!ours) return [`The policy has ${name}, which is not ours.`]
    // A browser takes the first and ignores the others.
    if (!theirs) return [`The policy lacks ${name}.`]
    if (theirs.length > 1) return [`The policy has ${name} more than once.`]
    return sourceDifferences(name, { ours: ours[0]!, theirs: theirs[0]!, origins })
  })
}

function sourceDifferences(
  name: string,
  { ours, theirs, origins }: { ours: string[]; theirs: string[]; origins: Origins },
): string[] {
  const extra = theirs.filter((source) => !ours.some((each) => fits(each, source, origins)))
  const lacking = ours.flatMap((each) => needed(each, origins)).filter((each) => !theirs.includes(each))
  return [
    ...extra.map((source) => `${name} of the policy allows ${source}, which is not ours.`),
    ...lacking.map((source) => `${name} of the policy lacks ${source}.`),
  ]
}

/** The sources that must be in the policy for one of ours. */
function needed(ours: string, { service, required }: Origins): string[] {
  switch (ours) {
    case placeholders.service:
      return [service]
    case placeholders.allowed:
      return required
    // There may be several of them, or none.
    case placeholders.pictures:
    case placeholders.bank:
      return []
    default:
      return [ours]
  }
}

function fits(ours: string, source: string, { service, allowed, bank }: Origins): boolean {
  switch (ours) {
    case placeholders.service:
      return source === service
    case placeholders.allowed:
      return isOrigin(source) && allowed.includes(source)
    case placeholders.pictures:
      return isOrigin(source) && source.startsWith('https:')
    case placeholders.bank:
      // The simulated bank is at the service itself and may lack TLS. `https:` is a source of its own.
      return source === bank && (source.startsWith('https:') || source === service)
    default:
      return source === ours
  }
}

type Directive = [name: string, sources: string[]]

function directives(policy: string): Directive[] {
  return policy
    .split(';')
    .map((each) => each.match(/\{[^}]*\}|\S+/g) ?? [])
    .filter(([name]) => name !== undefined)
    .map(([name, ...sources]) => [name!.toLowerCase(), sources])
}

function sourcesOf(all: Directive[], name: string): string[][] | null {
  const found = all.filter(([each]) => each === name).map(([, sources]) => sources)
  return found.length > 0 ? found : null
}
