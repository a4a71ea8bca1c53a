// A holder may be bound to one mode, as a test-only key is. A route then shows and changes nothing of the other mode.

import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import { emptyPage } from './list-page.ts'

/** Where to look for an object. Its ids and the body are not validated yet; the merchant is the holder's. */
export type ObjectPlace = {
  merchant_id: string
  params: Record<string, string>
  body: unknown
}

/**
 * How a route keeps to the mode of its holder. `query`: it is a list with `mode` in its query. `reply`: it reads one
 * object, whose reply says the mode. A function finds the mode of the object that the route acts on: `both` for one of
 * both modes, null if there is none, so that the handler refuses. `unknown` is the refusal for a missing object; an
 * object of the other mode gets the same. `handler`: the handler reads `only_mode`, as it must if it creates an object,
 * or shows a list without `mode` in its query.
 */
export type ModeRule =
  | 'query'
  | 'handler'
  | {
      of: 'reply' | ((sql: Sql, place: ObjectPlace) => Promise<Mode | 'both' | null>)
      unknown(place: ObjectPlace): Refusal
    }

/** The request of a bound holder. */
export type BoundAct = {
  rule: ModeRule | undefined
  only_mode: Mode | null
  sql: Sql
  place: ObjectPlace
}

/** Runs a handler, or its `resume`, so that nothing of the other mode is changed or shown. */
export async function withinMode<Request extends { query: unknown }>(
  act: BoundAct,
  request: Request,
  handle: (request: Request) => Promise<unknown>,
): Promise<unknown> {
  const { rule, only_mode } = act
  if (only_mode === null) return handle(request)
  if (rule === undefined) throw new Error('the route does not say how it keeps to a mode')
  if (rule === 'handler') return handle(request)
  if (rule === 'query') {
    const { mode = only_mode } = request.query as { mode?: Mode }
    if (mode !== only_mode) return emptyPage
    return handle({ ...request, query: { ...(request.query as object), mode } })
  }
  await refuseOtherObject(act)
  const reply = await handle(request)
  if (rule.of === 'reply' && shownMode(reply) !== only_mode) throw rule.unknown(act.place)
  return reply
}

/**
 * Refuses the replay of an answer about the other mode, which another key of the same audience may have got. `body` is
 * null if that request has no answer yet.
 */
export async function judgeReplay(act: BoundAct, body: string | null): Promise<void> {
  if (act.only_mode === null) return
  await refuseOtherObject(act)
  if (namesNoOtherMode(act, body)) return
  throw new Refusal(
    'idempotency_key_reused',
    'This idempotency key was used for a request of the other mode. Send a new key.',
  )
}

/** Whether the holder may see a first answer: one without a mode is allowed. */
function namesNoOtherMode({ only_mode }: BoundAct, body: string | null): boolean {
  const mode = body ? shownMode(JSON.parse(body)) : null
  return mode === null || mode === only_mode
}

async function refuseOtherObject(act: BoundAct): Promise<void> {
  const { rule, only_mode, sql, place } = act
  if (typeof rule !== 'object' || rule.of === 'reply') return
  const mode = await rule.of(sql, place)
  if (mode !== null && mode !== only_mode) throw rule.unknown(act.place)
}

/** The mode in a reply, in either dialect; null if it has none. */
export function shownMode(reply: unknown): Mode | null {
  const { mode, livemode } = (reply ?? {}) as { mode?: Mode; livemode?: boolean }
  if (livemode !== undefined) return livemode ? 'live' : 'test'
  return mode ?? null
}
