// From a name to its addresses.

import { lookup, Resolver } from 'node:dns/promises'

const query_ms = 1_500
const queries_max = 2

/**
 * Only by DNS. The machine's own look-up blocks one of few threads for any length of time: slow names of some merchants
 * would hold up those of all others.
 */
export async function lookUpPublicly(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: query_ms, tries: queries_max })
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length > 0) return addresses
  throw (answers[0] as PromiseRejectedResult).reason
}

/**
 * If private networks are allowed, this also finds names that only this machine knows, first those of its hosts file.
 */
export async function lookUpLocally(name: string): Promise<string[]> {
  const addresses = await lookup(name, { all: true, order: 'verbatim' })
  return addresses.map(({ address }) => address)
}
