// The target of a request: one host and one path, each in only one spelling. Proxies check both in their plain form and
// pass them on unchanged, so no other spelling may reach anything here.

import type { IncomingMessage } from 'node:http'
import { Refusal } from '../kernel/errors.ts'
import { countPairs } from './form.ts'

/** Throws `invalid_request` if the host, path or length could be read in two ways, or if the query is too long. */
export function refuseOddTarget(request: IncomingMessage): void {
  const fault = faultOfHost(request) ?? faultOfTarget(request.url ?? '') ?? faultOfLength(request)
  if (fault) throw new Refusal('invalid_request', fault)
}

/** A name or an IPv4 address, or an IPv6 address in brackets, and perhaps a port. */
const authority = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i

/**
 * What is wrong with the host of a request. A proxy may read other characters as one name, and a parser of addresses as
 * another: `x@name`, `name#x`, `n%61me`.
 */
export function faultOfHost({
  rawHeaders,
  httpVersion,
  url = '',
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'httpVersion' | 'url' | 'headers'>): string | null {
  const hosts = countHosts(rawHeaders)
  if (hosts > 1) return 'Send the header Host once.'
  if (hosts === 0 && httpVersion === '1.1') return 'Send the header Host.'
  const { host } = headers
  const wrong = 'The host of a request is a name or an address, and perhaps a port.'
  if (host !== undefined && !authority.test(host)) return wrong
  if (url.startsWith('/')) return null
  const [, absolute] = /^https?:\/\/([^/?]*)/i.exec(url) ?? []
  if (absolute === undefined) return null
  if (!authority.test(absolute)) return wrong
  const is_same = absolute.toLowerCase() === host?.toLowerCase()
  return is_same ? null : 'The host of the target must be that of the header Host.'
}

/** HTTP/1.0 knows no such header, and a proxy may take the body's end elsewhere (RFC 9112, 6.1). */
function faultOfLength({ httpVersion, headers }: IncomingMessage): string | null {
  const is_odd = httpVersion === '1.0' && headers['transfer-encoding'] !== undefined
  return is_odd ? 'HTTP/1.0 has no Transfer-Encoding.' : null
}

/** What is wrong with the target of a request line, in words; null if nothing is. */
export function faultOfTarget(target: string): string | null {
  if (target.includes('#')) return 'The target of a request has no fragment.'
  const [, path] = /^(?:https?:\/\/[^/?]+)?(\/[^?]*)?(?:\?|$)/i.exec(target) ?? []
  if (path === undefined) return target === '*' ? null : 'The target of a request is a path.'
  if (countPairs(target, query_pairs_max + 1) > query_pairs_max) {
    return `The query must not have more than ${query_pairs_max} parameters.`
  }
  if (dotSegment.test(path)) return 'The path must not have the segments . and ..'
  if (path.includes('//')) return 'The path must not have empty segments.'
  return encodedPlain.test(path) ? 'The path must not have letters, digits, -, ., _ and ~ percent-encoded.' : null
}

/** No list takes more than about twenty. */
const query_pairs_max = 100
const dotSegment = /\/\.{1,2}(?:\/|$)/
/** A character that means the same when it is not encoded: RFC 3986 calls it unreserved. */
const encodedPlain = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i

function countHosts(raw: string[]): number {
  let count = 0
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]!.length === 4 && raw[at]!.toLowerCase() === 'host') count += 1
  }
  return count
}
