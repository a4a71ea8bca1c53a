// Exchanges a card for its reference, early if that is allowed, and at the latest when the checkout asks. One request at a time.

import { type Answer, type CreatedReference, readAnswer } from './answer.ts'

export type Session = { session_id: string; client_secret: string; mode: 'test' | 'live' }

/** The body of the request. */
export type Card = {
  number: string
  exp_month: number
  exp_year: number
  cvc: string
  cardholder_name?: string
}

/** A card as the shopper typed it. Its edition changes with every key stroke, so that no code has to remember the number. */
export type CardEntry = { edition: number; card: Card }

export type World = {
  fetch: typeof fetch
  now_ms(): number
  wait(ms: number): Promise<void>
  openMethod(url: string): void
}

/** The service keeps a reference a minute longer. */
const life_ms = 14 * 60_000
const answer_wait_ms = 10_000
const retries_after_ms = [500, 1500]
/** The service allows ten. The others are left for requests that the checkout asks for. */
const early_max = 8
const minute_ms = 60_000

export type CardReferences = ReturnType<typeof cardReferences>

export function cardReferences(world: World) {
  let session: Session | null = null
  let made: (CreatedReference & { edition: number; at_ms: number }) | null = null
  let underWay: { edition: number; stop: AbortController; answer: Promise<Answer> } | null = null
  const budget = earlyBudget(world)

  /** The reference of exactly this card, if it is still valid. After somebody set the clock back it counts as too old. */
  function ready(edition: number): CreatedReference | null {
    const age_ms = made ? world.now_ms() - made.at_ms : 0
    return made?.edition === edition && age_ms >= 0 && age_ms < life_ms ? made : null
  }

  function ask({ edition, card }: CardEntry, session: Session): Promise<Answer> {
    if (underWay?.edition === edition) return underWay.answer
    underWay?.stop.abort()
    const stop = new AbortController()
    const answer = post(world, { session, card, stop }).then((answer): Answer => {
      // Ignores a reference that is no longer wanted.
      if (underWay?.stop !== stop) return { kind: 'unreachable', request_id: null }
      underWay = null
      if (answer.kind === 'made') {
        made = { ...answer, edition, at_ms: world.now_ms() }
        if (answer.method_url !== null) world.openMethod(answer.method_url)
      }
      return answer
    })
    underWay = { edition, stop, answer }
    return answer
  }

  function drop() {
    made = null
    underWay?.stop.abort()
    underWay = null
  }

  return {
    session: () => session,

    open(next: Session) {
      if (next.session_id !== session?.session_id) drop()
      session = next
    },

    /** Forgets every reference. */
    drop,

    /** Null if there is nothing to do, or if it is too early. */
    async early(typed: CardEntry): Promise<Answer | null> {
      if (!session || ready(typed.edition) || underWay?.edition === typed.edition) return null
      if (!budget.take()) return null
      const answer = await ask(typed, session)
      if (answer.kind === 'error' && answer.quiet_s !== null) budget.rest(answer.quiet_s * 1000)
      return answer
    },

    /** The reference, or the reason why there is none. Never rejects. */
    async need(typed: CardEntry): Promise<Exclude<Answer, { kind: 'unreachable' }>> {
      let request_id: string | null = null
      for (const wait_ms of [0, ...retries_after_ms]) {
        if (wait_ms > 0) await world.wait(wait_ms)
        if (!session) return failed('session_missing', null)
        const known = ready(typed.edition)
        if (known) return { kind: 'made', ...known }
        const answer = await ask(typed, session)
        if (answer.kind !== 'unreachable') return answer
        request_id = answer.request_id ?? request_id
      }
      return failed('network_error', request_id)
    },
  }
}

/** Limits early requests: so many in any minute, and none while the service wants no request. */
function earlyBudget(world: World) {
  let taken_at_ms: number[] = []
  let resting_until_ms = 0
  return {
    take(): boolean {
      const now_ms = world.now_ms()
      taken_at_ms = taken_at_ms.filter((at_ms) => now_ms - at_ms < minute_ms)
      if (now_ms < resting_until_ms || taken_at_ms.length >= early_max) return false
      taken_at_ms.push(now_ms)
      return true
    },
    rest(ms: number) {
      resting_until_ms = world.now_ms() + ms
    },
  }
}

function failed(code: string, request_id: string | null) {
  const error = { code, message: null, request_id }
  return { kind: 'error', error, quiet_s: null } as const
}

/** The number is in this request's body and nowhere else. Never rejects. */
async function post(
  world: World,
  { session, card, stop }: { session: Session; card: Card; stop: AbortController },
): Promise<Answer> {
  const timer = setTimeout(() => stop.abort(), answer_wait_ms)
  try {
    // The frame's own address is {base_url}/card-fields/{public_key}.
    const response = await world.fetch(`../v1/checkout/sessions/${session.session_id}/card_references`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'rip-client-secret': session.client_secret,
      },
      body: JSON.stringify(card),
      cache: 'no-store',
      credentials: 'omit',
      redirect: 'error',
      referrerPolicy: 'no-referrer',
      signal: stop.signal,
    })
    const body: unknown = await response.json().catch(() => null)
    const retry_after = response.headers.get('retry-after')
    return readAnswer({ status: response.status, retry_after, body }, session.mode)
  } catch {
    return { kind: 'unreachable', request_id: null }
  } finally {
    clearTimeout(timer)
  }
}
