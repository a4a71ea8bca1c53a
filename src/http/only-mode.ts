// A holder may be bound to one mode, as a key for tests is: a route then shows and changes nothing of the other mode.

import type { Sql } from '../database/open.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Mode } from '../kernel/values.ts'
import { emptyPage } from './list-page.ts'

/** Where an object is looked for. Its ids and the body are as they came; the merchant is the holder's. */
export type ObjectPlace = {
  merchant_id: string
  params: Record<string, string>
  body: unknown
}

/**
 * How a route keeps to the mode of its holder.
 *
 * `query`: it is a list with `mode` in its query. `reply`: it reads one object, whose reply says the mode. A function finds the
 * mode of the object that the route acts on: `both` for one of both modes, null where there is none, so that the handler
 * refuses. `unknown` is the refusal for an object that is not there; one of the other mode gets the same. `handler`: the
 * handler reads `only_mode`, as it must where it makes something, or shows a list without `mode` in its query.
 */
export type ModeRule =
  | 'query'
  | 'handler'
  | {
      of: 'reply' | ((sql: Sql, place: ObjectPlace) => Promise<Mode | 'both' | null>)
      unknown(): Refusal
    }

/** What a holder asks for. */
export type BoundAct = {
  rule: ModeRule | undefined
  only_mode: Mode | null
  sql: Sql
  place: ObjectPlace
}

/** Runs a handler, or what resumes it, so that nothing of the other mode is changed or shown. */
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
  if (rule.of === 'reply' && shownMode(reply) !== only_mode) throw rule.unknown()
  return reply
}

/**
 * Refuses a first answer that another key of the same audience was given about the other mode. `body` is null where that
 * request has no answer yet.
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

/** Whether a first answer may be shown to the holder: one that names no mode may. */
function namesNoOtherMode({ only_mode }: BoundAct, body: string | null): boolean {
  const mode = body ? shownMode(JSON.parse(body)) : null
  return mode === null || mode === only_mode
}

async function refuseOtherObject(act: BoundAct): Promise<void> {
  const { rule, only_mode, sql, place } = act
  if (typeof rule !== 'object' || rule.of === 'reply') return
  const mode = await rule.of(sql, place)
  if (mode !== null && mode !== only_mode) throw rule.unknown()
}

/** The mode that a reply names, in either dialect; null where it names none. */
export function shownMode(reply: unknown): Mode | null {
  const { mode, livemode } = (reply ?? {}) as { mode?: Mode; livemode?: boolean }
  if (livemode !== undefined) return livemode ? 'live' : 'test'
  return mode ?? null
}
