// The target of a request: one host, and a path that can be written in only one way. Proxies check paths in their plain
// form and pass them on unchanged, so nothing here may be reachable by another form.

import type { IncomingMessage } from 'node:http'
import { Refusal } from '../kernel/errors.ts'

/** Throws `invalid_request` for a request whose host or path could be read in two ways. */
export function refuseOddTarget(request: IncomingMessage): void {
  const hosts = countHosts(request.rawHeaders)
  if (hosts > 1) throw new Refusal('invalid_request', 'Send the header Host once.')
  if (hosts === 0 && request.httpVersion === '1.1') {
    throw new Refusal('invalid_request', 'Send the header Host.')
  }
  const fault = faultOfTarget(request.url ?? '')
  if (fault) throw new Refusal('invalid_request', fault)
}

/** What is wrong with the target of a request line, in words; null where nothing is. */
export function faultOfTarget(target: string): string | null {
  if (target.includes('#')) return 'The target of a request has no fragment.'
  const [, path] = /^(?:https?:\/\/[^/?]+)?(\/[^?]*)?(?:\?|$)/i.exec(target) ?? []
  if (path === undefined) return target === '*' ? null : 'The target of a request is a path.'
  if (dotSegment.test(path)) return 'The path must not have the segments . and ..'
  if (path.includes('//')) return 'The path must not have empty segments.'
  return encodedPlain.test(path)
    ? 'The path must not have letters, digits, -, ., _ and ~ percent-encoded.'
    : null
}

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
