// The line between a simulated process and its acquirer: requests and answers get lost, come late, or arrive twice.

import {
  type Acquirer,
  type LookUpAnswer,
  type LookUpRequest,
  NotSent,
  Unanswered,
} from '../../src/acquirers/acquirer.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import { type Faults, move_faults } from './faults.ts'
import { onItsWay } from './on-its-way.ts'
import type { Owner, Scheduler } from './scheduler.ts'

type Verb = 'authorise' | 'capture' | 'void' | 'reverse' | 'refund'

type Ends = {
  scheduler: Scheduler
  faults: Faults
  chance: Chance
  bank: Bank
  /** Whose acts the bank's own are: they go on when whoever asked has died. */
  outside: Owner
}

/** The acquirer as one process reaches it. `die` ends that process. */
export function openLine(ends: Ends, owner: Owner, die: () => never): Acquirer {
  const { scheduler, faults, chance, bank, outside } = ends
  const there = scheduler.clockOf(outside)
  const here = scheduler.clockOf(owner)
  const sent_ms = new Map<string, number>()

  const act = <Request, Answer>(verb: Verb, request: Request): Promise<Answer> => {
    const name = `the bank gets ${verb}`
    const ask = bank.acquirer[verb] as unknown as (request: Request) => Promise<Answer>
    // The bank may take its time: it answers when it does, and nobody waits for that here.
    return scheduler.effect(outside, name, () => ({ answer: ask(request) })).then(unwrapped)
  }

  async function send<Request, Answer>(verb: Verb, reference: string, request: Request) {
    bank.calls.set(reference, here.now().getTime())
    const fate = await scheduler.effect(owner, `${verb} ${reference.slice(-6)}`, () => {
      const chosen = faults.happens(...move_faults)
      if (chosen === 'acquirer: crash before') die()
      if (chosen !== 'acquirer: not sent') sent_ms.set(reference, here.now().getTime())
      if (chosen === 'acquirer: crash after') {
        silently(act(verb, request))
        die()
      }
      return chosen
    })
    if (fate === 'acquirer: not sent') throw new NotSent('connection refused')
    const answer = await onItsWay<Answer>(fate, {
      here,
      there,
      chance,
      act: () => act(verb, request),
      broken() {
        throw new Unanswered('the connection was lost')
      },
      failed() {
        throw new Error('502 from the gateway')
      },
      is_charge: verb === 'authorise',
      noteDelay: (delay_ms) => void bank.delays.set(reference, delay_ms),
    })
    const { result, decline_code = '' } = answer as { result: string; decline_code?: string }
    const label = `${verb} is answered, ${result} ${decline_code}`
    const heard = await scheduler.effect(owner, label, () => answer)
    bank.heard.push({ reference, owner, result })
    return heard
  }

  async function lookUp(request: LookUpRequest): Promise<LookUpAnswer> {
    const { reference } = request
    return scheduler.effect(owner, `look up ${reference.slice(-6)}`, async () => {
      const young = here.now().getTime() - (sent_ms.get(reference) ?? 0) < bank.acquirer.safe_window_ms
      const fate = young
        ? faults.happens('acquirer: cannot be asked', 'acquirer: not found as yet')
        : faults.happens('acquirer: cannot be asked')
      if (fate === 'acquirer: cannot be asked') throw new Error('503 from the gateway')
      if (fate === 'acquirer: not found as yet') return { result: 'not_found' as const }
      return bank.acquirer.lookUp(request)
    })
  }

  return {
    ...bank.acquirer,
    authorise: (request) => send('authorise', request.reference, request),
    capture: (request) => send('capture', request.reference, request),
    void: (request) => send('void', request.reference, request),
    reverse: (request) => send('reverse', request.reference, request),
    refund: (request) => send('refund', request.reference, request),
    lookUp,
    listAuthorisations: (within) =>
      scheduler.effect(owner, 'list authorisations', () => {
        if (faults.happens('acquirer: cannot be asked')) throw new Error('503 from the gateway')
        return bank.acquirer.listAuthorisations(within)
      }),
  }
}

async function unwrapped<Answer>({ answer }: { answer: Promise<Answer> }): Promise<Answer> {
  return answer
}

function silently(work: Promise<unknown>): void {
  work.catch(() => {})
}
