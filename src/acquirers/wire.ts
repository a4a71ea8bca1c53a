// A call to an acquirer, and the words and errors that connectors share where one fails.

import { NotSent, Unanswered, type WireAnswer } from '../vendor-wire/wire.ts'

export { isGood, jsonIn, type Wire, type WireAnswer, type WireRequest } from '../vendor-wire/wire.ts'

export function notShown(name: string, { status }: WireAnswer): string {
  if (status === 401) return `${name}: its credentials were refused (401)`
  return `${name}: it does not show its payments (${status})`
}

/** A query after a request. If the query is not sent, the outcome of the request stays unknown. */
export async function afterRequest<Answer>(query: Promise<Answer>): Promise<Answer> {
  try {
    return await query
  } catch (error) {
    if (error instanceof NotSent) throw new Unanswered(error.message)
    throw error
  }
}
