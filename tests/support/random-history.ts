// Random histories of a session that are right by construction: a small shop of its own, in which everything happens at one
// moment between the begin and the end of who asked for it.

import type { Call, Result, SessionRead, StateRead } from '../../proofs/histories/session.ts'
import type { Chance } from '../../proofs/simulate/chance.ts'

type Outcome = 'captured' | 'held' | 'declined' | 'failed'
type TriedPayment = {
  id: string
  payment_id: string
  phase: 'ready' | 'superseded' | 'charging' | Outcome
  hold: 'pending_review' | 'captured' | 'voided' | null
  is_deciding: boolean
}
type Later = { at_ms: number; happen: () => void }
type RandomCall = Call extends infer Each
  ? Each extends Call
    ? Omit<Each, 'client' | 'begin_ms' | 'end_ms'>
    : never
  : never

const clients = 3
const calls_each = 5

/** Some answers are lost, and so are the outcomes of some charges until later. */
export function randomHistory(chance: Chance): Call[] {
  const attempts: TriedPayment[] = []
  const calls: Call[] = [{ client: 'shop', begin_ms: 0, end_ms: 1, what: 'create', told: { good: {} } }]
  const later: Later[] = []
  const soon = (at_ms: number) => at_ms + 1 + chance.below(20)
  const after = (at_ms: number, happen: (now_ms: number) => void) => {
    const then_ms = soon(at_ms)
    later.push({ at_ms: then_ms, happen: () => happen(then_ms) })
  }
  let ids = 0

  function ask(client: string, begin_ms: number, left: number): void {
    if (left === 0) return
    const end = (now_ms: number, asked: RandomCall) => {
      const end_ms = soon(now_ms)
      const is_lost = chance.often(0.1)
      const told = is_lost ? null : asked.told
      calls.push({ client, begin_ms, end_ms: is_lost ? null : end_ms, ...asked, told } as Call)
      ask(client, soon(end_ms), left - 1)
    }
    const action = chance.pick(actions)
    after(begin_ms, (now_ms) => act[action](now_ms, end))
  }

  type End = (now_ms: number, asked: RandomCall) => void
  const act: Record<(typeof actions)[number], (now_ms: number, end: End) => void> = {
    authenticate(now_ms, end) {
      ids += 1
      const card = `card_${ids}`
      const refused = refusalOf(attempts)
      if (refused) return end(now_ms, { what: 'authenticate', card, told: { refused } })
      const last = attempts.at(-1)
      if (last?.phase === 'ready') last.phase = 'superseded'
      const opened: TriedPayment = {
        id: `att_${ids}`,
        payment_id: `pay_${ids}`,
        phase: 'ready',
        hold: null,
        is_deciding: false,
      }
      attempts.push(opened)
      const told = { good: { id: opened.id, number: attempts.length } }
      end(now_ms, { what: 'authenticate', card, told })
    },
    confirm(now_ms, end) {
      const last = attempts.at(-1)
      const answer = (at_ms: number) => end(at_ms, { what: 'confirm', told: { good: resultOf(attempts)! } })
      if (!last || last.phase === 'superseded') {
        return end(now_ms, { what: 'confirm', told: { refused: 'authentication_incomplete' } })
      }
      if (last.phase !== 'ready') return answer(now_ms)
      last.phase = 'charging'
      const is_late = chance.often(0.3)
      if (is_late) answer(now_ms)
      after(now_ms, (then_ms) => {
        last.phase = chance.pick(['captured', 'held', 'held', 'declined', 'failed'] as const)
        if (last.phase === 'held') last.hold = 'pending_review'
        if (!is_late) answer(then_ms)
      })
    },
    decide(now_ms, end) {
      const kind = chance.pick(['capture', 'void'] as const)
      const found = attempts.find(({ hold }) => hold !== null)
      if (!found) return end(now_ms, { what: 'other', told: { good: {} } })
      const { payment_id } = found
      const said = (told: Extract<RandomCall, { what: 'decide' }>['told']) =>
        ({ what: 'decide', kind, payment_id, told }) as const
      if (found.hold !== 'pending_review' || found.is_deciding) {
        return end(now_ms, said({ refused: 'hold_already_decided' }))
      }
      found.is_deciding = true
      after(now_ms, (then_ms) => {
        found.is_deciding = false
        if (chance.often(0.3)) return end(then_ms, said({ refused: 'operation_refused' }))
        found.hold = kind === 'capture' ? 'captured' : 'voided'
        end(then_ms, said({ good: { status: found.hold, replayed: false } }))
      })
    },
    read_state: (now_ms, end) => end(now_ms, { what: 'read_state', told: { good: stateOf(attempts) } }),
    read_session: (now_ms, end) => end(now_ms, { what: 'read_session', told: { good: sessionOf(attempts) } }),
    read_payment(now_ms, end) {
      const charged = chargedOf(attempts)
      if (!charged) return end(now_ms, { what: 'other', told: { good: {} } })
      const { payment_id } = charged
      const told = { good: { status: paymentOf(charged) } }
      end(now_ms, { what: 'read_payment', payment_id, told })
    },
  }

  for (let client = 1; client <= clients; client += 1) ask(`client ${client}`, 2, calls_each)
  while (later.length > 0) {
    later.sort((one, other) => other.at_ms - one.at_ms)
    later.pop()!.happen()
  }
  return calls
}

const actions = [
  ...(['authenticate', 'confirm', 'confirm', 'confirm', 'decide'] as const),
  ...(['read_state', 'read_session', 'read_payment'] as const),
] as const

function chargedOf(attempts: TriedPayment[]): TriedPayment | undefined {
  return attempts.findLast(({ phase }) => phase !== 'ready' && phase !== 'superseded')
}

export function paymentOf({ phase, hold }: Pick<TriedPayment, 'phase' | 'hold'>): string {
  if (phase === 'charging') return 'pending'
  return hold === null || hold === 'pending_review' ? phase : hold
}

function statusOf(attempts: TriedPayment[]): string {
  const phase = attempts.at(-1)?.phase
  if (phase === 'charging') return 'processing'
  if (phase === 'captured' || phase === 'held') return 'succeeded'
  const is_over = phase === 'declined' || phase === 'failed'
  return is_over && attempts.length === 3 ? 'declined' : 'requires_payment'
}

function refusalOf(attempts: TriedPayment[]): string | null {
  const status = statusOf(attempts)
  if (status === 'processing') return 'session_processing'
  if (status === 'succeeded') return 'session_completed'
  return attempts.length === 3 ? 'attempts_exhausted' : null
}

function resultOf(attempts: TriedPayment[]): Result | null {
  const last = attempts.at(-1)
  if (!last || last.phase === 'ready' || last.phase === 'superseded') return null
  const status = last.phase === 'charging' ? 'processing' : last.phase
  const attempt = { id: last.id, number: attempts.length }
  return { status, payment_id: last.payment_id, attempt, attempts_left: 3 - attempts.length }
}

function stateOf(attempts: TriedPayment[]): StateRead {
  const last = attempts.at(-1)
  return {
    status: statusOf(attempts),
    attempt_count: attempts.length,
    settlement: null,
    attempt: last ? { id: last.id, number: attempts.length } : null,
    result: resultOf(attempts),
  }
}

function sessionOf(attempts: TriedPayment[]): SessionRead {
  const charged = chargedOf(attempts)
  return {
    status: statusOf(attempts),
    attempt_count: attempts.length,
    settlement: null,
    payment_id: charged?.payment_id ?? null,
    hold_status: charged?.hold ?? null,
  }
}
