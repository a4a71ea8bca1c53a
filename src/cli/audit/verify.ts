// `ripper audit verify`: recomputes the chains of the journal, compares payments with their lines, and names whatever was changed,
// removed or inserted.

import { listChains } from '../../audit/chain-store.ts'
import type { ChainFault } from '../../audit/check-chain.ts'
import { type ChainVerification, verifyChain } from '../../audit/verify-chain.ts'
import { type PaymentsVerified, verifyPayments } from '../../checkout/reading/verify-payments.ts'
import { inCell } from '../../database/cells/cells.ts'
import { timestampOrNull } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { type CommandContext, list, text, withCommandContext } from '../command-context.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { printJson, printLine, printTable, shortTime } from '../terminal/print.ts'
import { moneyFaultWords } from './money-fault-words.ts'

export const auditVerify: Command = {
  name: 'audit verify',
  summary: "Checks that nobody has changed the journal, each merchant's chain of hashes, or a payment in it",
  options: {
    merchant: { value: 'ID', meaning: 'only this one; all where left out' },
    head: {
      value: 'HASH',
      many: true,
      meaning: 'a head that you noted earlier, which must still be in a chain',
    },
  },
  remarks: [
    'The exit status is 1 if something is wrong. Note the heads in another place from time to time: somebody who can write\n' +
      'to the database could make a whole chain anew, or cut it off, and only --head finds that.',
    'A line that somebody adds exactly as the service would is sealed like a real one, and cannot be recognised.',
    "If a merchant's head or last row is wrong, the service seals no more lines for it until that is corrected.",
    'It compares amount, currency, mode, status, operations and events of a payment with its lines. Lines of older releases\n' +
      'have no amount and no hash of the event. Their payments are not bound, and only the rest is compared.',
  ],
  async run({ options, json }) {
    const heads = headsOf(options)
    const chains = await withCommandContext((context) => verifyAll(context, options, heads))
    const found = chains.flatMap(({ merchant_id, found_heads }) =>
      found_heads.map((head) => ({ merchant_id, ...head })),
    )
    const missing_heads = [...heads].filter((hash) => !found.some((head) => head.hash === hash))
    const faults = chains.reduce(
      (sum, { fault_count, payments }) => sum + fault_count + payments.fault_count,
      missing_heads.length,
    )
    const shown = { ok: faults === 0, faults, chains: chains.map(view), found, missing_heads }
    if (json) printJson(shown)
    else printForPeople(shown)
    return faults === 0 ? 0 : 1
  },
}

function headsOf(options: Options): Set<string> {
  const heads = list(options, 'head').map((hash) => hash.toLowerCase())
  if (!heads.every((hash) => /^[0-9a-f]{64}$/.test(hash))) {
    throw new UsageError('--head must be 64 hexadecimal characters, as ripper audit verify shows them')
  }
  return new Set(heads)
}

/** Every merchant's chain and payments, or those of the one that the options name. */
export async function verifyAll(
  context: CommandContext,
  options: Options,
  heads: ReadonlySet<string>,
): Promise<VerifiedMerchant[]> {
  const { clock } = context
  const named = text(options, 'merchant')
  const merchants = named ? [(await merchantOrRefuse(context.sql, named)).merchant_id] : await listChains(context.sql)
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

function view({ found_heads: _, ...chain }: VerifiedMerchant) {
  const { newest_line_at, head } = chain
  return {
    ...chain,
    newest_line_at: timestampOrNull(newest_line_at),
    head: head && { position: head.position, hash: head.hash.toString('hex') },
  }
}

type VerifyOutput = {
  ok: boolean
  faults: number
  chains: ReturnType<typeof view>[]
  found: { merchant_id: string; hash: string; position: number }[]
  missing_heads: string[]
}

const headings = ['merchant', 'lines', 'newest', 'not sealed yet', 'payments', 'not bound', 'head']

function printForPeople({ ok, faults, chains, found, missing_heads }: VerifyOutput): void {
  if (chains.length === 0) printLine('The journal has no line yet.')
  else printTable(headings, chains.map(rowOf))
  printLine('')
  for (const { merchant_id, faults: named, fault_count, payments } of chains) {
    tellFaults(merchant_id, named.map(faultWords), fault_count)
    tellFaults(merchant_id, payments.faults.map(moneyFaultWords), payments.fault_count)
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

function tellFaults(merchant_id: string, named: string[], count: number): void {
  for (const words of named) printLine(`${merchant_id}: ${words}`)
  if (count > named.length) printLine(`${merchant_id}: and ${count - named.length} more`)
}

function rowOf({
  merchant_id,
  lines,
  newest_line_at,
  not_sealed_yet,
  payments: { compared, not_bound },
  head,
}: VerifyOutput['chains'][number]) {
  const newest = newest_line_at === null ? '–' : shortTime(newest_line_at)
  const counts = [not_sealed_yet, compared, not_bound].map(String)
  return [merchant_id, String(lines), newest, ...counts, head?.hash ?? '–']
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
