// One address at which two routes answer: which of them does depends on how the key is sent.

import type { Content, Operation, Response } from './document.ts'

/**
 * The description of both. `native` is the route's own; `other` is described at an address of its own, `described_at`, with the
 * same parameters.
 */
export function sharedBy(native: Operation, other: Operation, described_at: string): Operation {
  const statuses = new Set([...Object.keys(native.responses), ...Object.keys(other.responses)])
  const description = `With X-Service-Api-Key as here; with a Bearer key as at ${described_at}.`
  return {
    ...native,
    description: [native.description, description].filter(Boolean).join(' '),
    security: [...native.security, ...other.security],
    responses: Object.fromEntries(
      [...statuses].map((status) => [status, eitherResponse(native.responses[status], other.responses[status])]),
    ),
  }
}

function eitherResponse(one: Response | undefined, other: Response | undefined): Response {
  if (!one || !other) return (one ?? other)!
  const descriptions = new Set([one.description, other.description])
  const content = eitherContent(one.content, other.content)
  return {
    description: [...descriptions].join('\n\n'),
    headers: { ...one.headers, ...other.headers },
    ...(content && { content }),
  }
}

function eitherContent(one: Content | undefined, other: Content | undefined): Content | undefined {
  if (!one || !other) return one ?? other
  const shapes = [one, other].map((each) => each['application/json'].schema)
  return { 'application/json': { schema: { anyOf: shapes } } }
}
