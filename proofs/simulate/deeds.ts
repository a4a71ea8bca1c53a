// Judges what the service made of each answer that it heard, and whether its rules waited for their time.

import { millisecondsOf } from '../../src/kernel/ids.ts'
import type { Bank } from './bank/bank.ts'
import type { Clocks } from './clocks.ts'
import type { KnownPayment } from './known-payment.ts'
import { type Fault, unless } from './violations.ts'

type Deeds = { bank: Bank; clocks: Clocks; log_lines: string[] }

export function faultsOfDeeds(lives: KnownPayment[], deeds: Deeds): Fault[] {
  const lines = deeds.log_lines.filter((line) => line.includes(contradiction))
  return lives.flatMap((life) => [
    ...faultsOfLostApproval(life, deeds, lines),
    ...faultsOfSettlements(life, deeds),
    ...faultsOfRules(life, deeds),
  ])
}

const contradiction = 'an answer contradicts what was recorded before'

/** An approval that came after something else was recorded is an error in the log, unless its process has died. */
function faultsOfLostApproval({ operations, authorisations }: KnownPayment, { bank }: Deeds, lines: string[]): Fault[] {
  return operations.flatMap(({ operation_id, kind, state }) => {
    if (kind !== 'authorise' || (state !== 'failed' && state !== 'declined')) return []
    const was_heard = bank.heard.some(
      ({ reference, owner, result }) => reference === operation_id && result === 'approved' && owner.alive,
    )
    const entry = authorisations.find(({ reference }) => reference === operation_id)
    // Approved for other money than was asked for, it counts as failed, and is no surprise.
    const is_other = entry?.surprises.some(({ what }) => what === 'other_money') ?? false
    const is_told = lines.some((line) => line.includes(operation_id))
    const fault = `${operation_id} is ${state}, its approval was heard, and nobody said so`
    return unless(!was_heard || is_other || is_told, 'I14', fault)
  })
}

/** What is recorded as refused was not done. A vendor may cancel a charge that it has declined, which moves nothing. */
function faultsOfSettlements({ operations, authorisations, payment }: KnownPayment, { bank }: Deeds): Fault[] {
  const approved = authorisations.filter(({ authorised_ms }) => authorised_ms !== null)
  return operations.flatMap(({ operation_id, kind, state }) => {
    if (kind === 'authorise' || (state !== 'refused' && state !== 'not_sent')) return []
    const is_done = bank.settlements.some(
      ({ reference, of, answer }) =>
        reference === operation_id &&
        answer.result === 'approved' &&
        approved.some((charge) => charge.reference === of),
    )
    // A bank that has forgotten the reference says that it is done already, and a look finds it so.
    const is_found = operations.some((other) => other.kind === kind && isFound(other))
    const fault = `${payment.payment_id}: ${kind} ${operation_id} is ${state} here, and done there`
    return unless(!is_done || (bank.traits.forgets && is_found), 'I4', fault)
  })
}

function isFound({ state, answer }: KnownPayment['operations'][number]): boolean {
  return state === 'approved' && answer?.found !== undefined
}

/** Rules end a hold at its deadline, and not before. */
function faultsOfRules({ hold, operations, payment }: KnownPayment, deeds: Deeds): Fault[] {
  if (hold?.decided_by !== 'rules' || hold.is_below_limit) return []
  const { bank, clocks } = deeds
  const due_ms = new Date(hold.deadline).getTime() - allowed_ms
  return bank.settlements.flatMap(({ reference, kind, asked_ms }) => {
    const is_early = kind !== 'reverse' && asked_ms < due_ms
    const by_rules = operations.some(({ operation_id, asked_by }) => operation_id === reference && asked_by === 'rules')
    const early_s = Math.round((due_ms - asked_ms) / 1000)
    const fault = `${payment.payment_id}: the rules' ${kind} came ${early_s} s before its deadline`
    // Another may send it long after, by a clock that is right. Ids begin with the time, by the clock of the process that decided.
    const was_deceived = clocks.wasDeceived(asked_ms) || clocks.wasDeceivedWhen(millisecondsOf(reference))
    return unless(!is_early || !by_rules || was_deceived, 'I6', fault)
  })
}

/** By so much a clock may differ, and the one that wrote the deadline the other way. */
const allowed_ms = 4_000
