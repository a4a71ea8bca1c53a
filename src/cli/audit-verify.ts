// `ripper audit verify`: recomputes the chains of the journal, compares payments with their lines, and names whatever
// was changed, removed or inserted.

import { z } from 'zod'
import { listChains } from '../audit/chain-store.ts'
import type { ChainFault } from '../audit/check-chain.ts'
import { type ChainVerification, verifyChain } from '../audit/verify-chain.ts'
import { inCell } from '../database/cells/cells.ts'
import type { MoneyFault } from '../payments/reading/money-fault.ts'
import { type PaymentsVerified, verifyPayments } from '../payments/reading/verify-payments.ts'
import { type CommandContext, merchantNamed, withCommandContext } from './command-context.ts'
import { command, option, withDefault } from './terminal/option.ts'
import { printJson, printLine, printList, shortTime } from './terminal/print.ts'

const head = z
  .string()
  .regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal characters, as ripper audit verify shows them')
  .toLowerCase()

export const auditVerify = command({
  name: 'audit verify',
  summary: "Checks that nobody has changed the journal, each merchant's chain of hashes, or a payment in it",
  options: {
    merchant: option('ID', 'only this one; all where left out'),
    head: withDefault(
      option('HASH', 'a head that you noted earlier, which must still be in a chain', head.array()),
      [],
    ),
  },
  remarks: [
    'The exit status is 1 if something is wrong. Note the heads in another place from time to time: somebody who can write\n' +
      'to the database could make a whole chain anew, or cut it off, and only --head finds that.',
    'A line that somebody adds exactly as the service would is sealed like a real one, and cannot be recognised.',
    "If a merchant's head or last row is wrong, the service seals no more lines for it until that is corrected.",
    'It compares amount, currency, mode, status, operations and events of a payment with its lines. Lines of older releases\n' +
      'have no amount and no hash of the event. Their payments are not bound, and only the rest is compared.',
  ],
  async run({ options: { merchant, ...options }, json }) {
    const heads = new Set(options.head)
    const chains = await withCommandContext(async (context) =>
      verifyAll(context, await merchantNamed(context.sql, merchant), heads),
    )
    const found = chains.flatMap(({ merchant_id, found_heads }) =>
      found_heads.map((head) => ({ merchant_id, ...head })),
    )
    const missing_heads = [...heads].filter((hash) => !found.some((head) => head.hash === hash))
    const faults = faultsIn(chains) + missing_heads.length
    const output = { ok: faults === 0, faults, chains: chains.map(view), found, missing_heads }
    if (json) printJson(output)
    else printForPeople(output)
    return faults === 0 ? 0 : 1
  },
})

export function faultsIn(chains: VerifiedMerchant[]): number {
  return chains.reduce((sum, { fault_count, payments }) => sum + fault_count + payments.fault_count, 0)
}

/** A merchant's chain and payments, or those of all. */
export async function verifyAll(
  context: CommandContext,
  merchant_id: string | null,
  heads: ReadonlySet<string>,
): Promise<VerifiedMerchant[]> {
  const { sql, clock } = context
  const merchants = merchant_id === null ? await listChains(sql) : [merchant_id]
  const chains: VerifiedMerchant[] = []
  for (const merchant_id of merchants) {
    const { sql } = await inCell(context, merchant_id)
    const chain = await verifyChain({ sql, world: { clock } }, merchant_id, heads)
    const { payments, ...compared } = await verifyPayments(sql, merchant_id)
    chains.push({ ...chain, payments: { compared: payments, ...compared } })
  }
  return chains
}

type VerifiedMerchant = ChainVerification & {
  payments: Omit<PaymentsVerified, 'payments'> & { compared: number }
}

function view({ found_heads: _, head, ...chain }: VerifiedMerchant) {
  return { ...chain, head: head && { position: head.position, hash: head.hash.toString('hex') } }
}

type VerifyOutput = {
  ok: boolean
  faults: number
  chains: ReturnType<typeof view>[]
  found: { merchant_id: string; hash: string; position: number }[]
  missing_heads: string[]
}

function printForPeople({ ok, faults, chains, found, missing_heads }: VerifyOutput): void {
  printList(chains, {
    headings: ['merchant', 'lines', 'newest', 'not sealed yet', 'payments', 'not bound', 'head'],
    cells: ({ merchant_id, lines, newest_line_at, not_sealed_yet, payments: { compared, not_bound }, head }) => [
      ...[merchant_id, String(lines), shortTime(newest_line_at)],
      ...[...[not_sealed_yet, compared, not_bound].map(String), head?.hash ?? '–'],
    ],
    nothing: 'The journal has no line yet.',
  })
  printLine('')
  for (const { merchant_id, faults: named, fault_count, payments } of chains) {
    printFaults(merchant_id, named.map(faultWords), fault_count)
    printFaults(merchant_id, payments.faults.map(moneyFaultWords), payments.fault_count)
  }
  for (const { hash, merchant_id, position } of found) {
    printLine(`The head ${hash} is in the chain of ${merchant_id}, at position ${position}.`)
  }
  for (const hash of missing_heads) {
    printLine(
      `The head ${hash} is in no chain: somebody has cut off a chain, or made it anew, since you noted the head.`,
    )
  }
  printLine(
    ok
      ? 'Every chain is whole, and every payment agrees with its lines.'
      : `Something is wrong: ${faults} fault${faults === 1 ? '' : 's'}.`,
  )
}

function printFaults(merchant_id: string, fault_texts: string[], count: number): void {
  for (const words of fault_texts) printLine(`${merchant_id}: ${words}`)
  if (count > fault_texts.length) printLine(`${merchant_id}: and ${count - fault_texts.length} more`)
}

function faultWords({ kind, position, until_position, entry_id }: ChainFault): string {
  switch (kind) {
    case 'line_changed':
      return `position ${position}: line ${entry_id} was changed, or a row before it taken out and the others moved up`
    case 'line_removed':
      return `position ${position}: line ${entry_id} was removed`
    case 'line_not_sealed':
      return `line ${entry_id} is in no chain: it was put in long after its time, or its row of the chain removed`
    case 'row_changed':
      return `position ${position}: the hash in the chain was changed; line ${entry_id} is as it was`
    case 'row_removed':
      return `${rowsFrom(position!, until_position!)} removed from the chain`
    case 'row_inserted':
      return `position ${position}: a row was put into the chain, for line ${entry_id}`
    case 'head_changed':
      return `the head, at position ${position}, was changed: the chain does not end there`
    case 'head_removed':
      return `the head was removed; the chain ends at position ${position}`
  }
}

function rowsFrom(position: number, until_position: number): string {
  return position === until_position
    ? `position ${position}: the row was`
    : `positions ${position} to ${until_position}: the rows were`
}

/** Says in words how a payment's rows contradict the journal. */
export function moneyFaultWords(fault: MoneyFault): string {
  const { kind, subject, operation_id, sequence, entry_id } = fault
  const operation = `operation ${operation_id} of ${subject}`
  const event = `event ${sequence} of ${subject}`
  const line = `line ${entry_id}`
  switch (kind) {
    case 'payment_changed':
      return `payment ${subject} was changed: ${differing(fault)}`
    case 'payment_removed':
      return `payment ${subject} was removed${entry_id === null ? '' : `; ${line} is about it`}`
    case 'payment_without_line':
      return `no line explains the state of payment ${subject}`
    case 'session_changed':
      return `session ${subject} was changed: ${differing(fault)}`
    case 'session_removed':
      return `session ${subject} was removed; ${line} is about it`
    case 'operation_changed':
      return `${operation} was changed: ${differing(fault)}`
    case 'operation_removed':
      return `${operation} was removed; ${line} is about it`
    case 'operation_without_line':
      return `${operation} has no line`
    case 'event_changed':
      return `${event} was changed: ${differing(fault)}`
    case 'event_removed':
      return `${event} was removed; ${line} is about it`
    case 'event_without_line':
      return `${event} has no line`
    case 'refund_changed':
      return `refund ${subject} was changed: ${differing(fault)}`
    case 'refund_removed':
      return `refund ${subject} was removed; ${line} is about it`
    case 'refund_without_line':
      return `no line explains refund ${subject}`
    case 'outcome_told_twice':
      return `${line} gives ${subject.startsWith('ref_') ? 'refund' : 'payment'} ${subject} an outcome that another line gave it before`
  }
}

function differing({ differences, entry_id }: MoneyFault): string {
  const each = differences.map(({ member, row, line }) => {
    if (member === 'sha256') return 'its body is another'
    return `${member} is ${row ?? 'empty'} and was ${line ?? 'empty'}`
  })
  return `${each.join(', ')}, by line ${entry_id}`
}
