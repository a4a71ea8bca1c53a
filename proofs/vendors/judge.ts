// What must hold of a vendor's books wherever they come from: what is not ours is never touched, nothing is carried out twice, and
// no more is refunded than was captured.

import type { BookedAct, BookedCharge } from './history.ts'

/** The faults, in words. `installation` is our mark. */
export function faultsOfVendor(charges: BookedCharge[], installation: string): string[] {
  const own = charges.filter(({ mark }) => mark === installation)
  return [
    ...charges.filter(({ mark }) => mark !== installation).flatMap(faultsOfStranger),
    ...[...Map.groupBy(own, ({ reference }) => reference)].flatMap(([reference, all]) =>
      unless(
        all.filter((charge) => isApproved(charge) && !charge.is_unasked).length <= 1,
        `${reference} was approved ${all.length} times there`,
      ),
    ),
    ...own.flatMap(faultsOfActs),
    ...own.flatMap(faultsOfRefunds),
  ]
}

/** Not even what is refused may be asked of it. */
function faultsOfStranger({ id, mark, acts }: BookedCharge): string[] {
  const whose = mark === null ? 'bears no mark' : "bears another installation's mark"
  return unless(acts.length === 0, `${id} ${whose}, and was touched: ${acts.map(nameOf)}`)
}

function faultsOfActs({ id, acts }: BookedCharge): string[] {
  const named = acts.filter(({ reference, is_approved }) => reference !== null && is_approved)
  const done = Map.groupBy(named, ({ kind, reference }) => `${kind} ${reference}`)
  return [...done].flatMap(([name, all]) =>
    unless(all.length === 1, `${id}: ${name} was carried out ${all.length} times there`),
  )
}

/** What was taken of a charge, and what was or will be given back: by refunds, and by a reversal of what was taken. */
function faultsOfRefunds(charge: BookedCharge): string[] {
  const { id, amount, taken_at, acts } = charge
  const done = acts.filter(({ is_approved }) => is_approved)
  const sum = (kind: BookedAct['kind']) =>
    done.filter((act) => act.kind === kind).reduce((total, act) => total + act.amount, 0)
  const captured = sum('capture') + (taken_at === null ? 0 : amount)
  return [
    ...unless(captured <= amount, `${id}: ${captured} captured of ${amount}`),
    ...unless(sum('refund') <= captured, `${id}: ${sum('refund')} refunded of ${captured}`),
  ]
}

export function isApproved({ is_approved, known_at }: BookedCharge): boolean {
  return is_approved && known_at !== null
}

function nameOf({ kind, reference }: BookedAct): string {
  return `${kind} ${reference}`
}

function unless(holds: boolean, fault: string): string[] {
  return holds ? [] : [fault]
}
