// `ripper audit show`: a payment's whole life in order of time, from its session's creation to the last delivery.

import { readLife, viewLife } from '../../checkout/history/payment-history.ts'
import { findLifeKey, type LifeKey } from '../../checkout/reading/life-store.ts'
import { inCell } from '../../database/cells/cells.ts'
import { Refusal } from '../../kernel/errors.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { type CommandContext, merchantOption, text, withCommandContext } from '../command-context.ts'
import { type Command, type Options, UsageError } from '../terminal/command.ts'
import { money, print, printJson, printLine, printTable } from '../terminal/print.ts'
import { lifeHeadings, lifeRows } from './words.ts'

export const auditShow: Command = {
  name: 'audit show',
  summary: 'Shows the whole life of a payment: who did what and when, and which events were sent',
  positionals: ['PAYMENT_ID'],
  options: {
    merchant: { ...merchantOption, meaning: 'its merchant; by default found by the id' },
  },
  remarks: [
    'Takes the id of a payment (pay_…) or of a session (cs_…), and shows the whole session: each attempt and its payment.',
    'The numbered rows are the lines of the journal, which are sealed; the other rows are events and their deliveries.',
    'Ids are shortened; --json has whole ids, and each line of the journal with its hash.',
    'The exit status is 1 if the hash of a line is wrong.',
  ],
  async run({ options, positionals, json }) {
    const [id] = positionals as [string]
    if (!/^(pay|cs)_[0-9a-f]{24}$/.test(id)) {
      throw new UsageError('PAYMENT_ID must be the id of a payment (pay_…) or of a session (cs_…)')
    }
    const life = await withCommandContext(async (context) => {
      const key = await lifeKeyOf(context, options, id)
      const { sql } = await inCell(context, key.merchant_id)
      const found = await readLife(sql, key)
      return viewLife(found, context.clock.now())
    })
    if (json) printJson(life)
    else printForPeople(life)
    return life.seals.wrong === 0 ? 0 : 1
  },
}

async function lifeKeyOf({ sql }: CommandContext, options: Options, id: string): Promise<LifeKey> {
  const named = text(options, 'merchant')
  const merchant_id = named && (await merchantOrRefuse(sql, named)).merchant_id
  const key = await findLifeKey(sql, id, merchant_id)
  if (key) return key
  const what = id.startsWith('cs_') ? 'session' : 'payment'
  throw new Refusal('resource_not_found', `There is no ${what} ${id}.`)
}

type LifeOutput = ReturnType<typeof viewLife>

function printForPeople({ session, payments, lines, events, seals, ...key }: LifeOutput): void {
  print(
    {
      merchant_id: key.merchant_id,
      session_id: key.session_id,
      session: [session.status, session.settlement, session.mode, money(session)].filter(Boolean),
    },
    false,
  )
  for (const payment of payments) {
    printLine(paymentWords(payment))
    for (const refund of payment.refunds) printLine(refundWords(refund))
  }
  printLine('')
  printTable(lifeHeadings, lifeRows(lines, events))
  printLine(`\n${sealWords(seals)}`)
}

function paymentWords(payment: LifeOutput['payments'][number]): string {
  const { payment_id, attempt_number, status, decline, hold } = payment
  const parts = [
    `${status} ${money(payment)}`,
    `attempt ${attempt_number}`,
    ...(decline ? [decline.code] : []),
    ...(hold ? [`hold ${hold.status}${hold.decided_by ? ` by ${hold.decided_by}` : ''}`] : []),
    ...(hold && !hold.decided_at ? [`deadline ${hold.deadline}`] : []),
  ]
  return `${payment_id}  ${parts.join(', ')}`
}

function refundWords(refund: LifeOutput['payments'][number]['refunds'][number]): string {
  const { id, status, failure } = refund
  return `${id}  ${[`refund ${status} ${money(refund)}`, ...(failure ? [failure.code] : [])].join(', ')}`
}

function sealWords({ right, wrong, not_yet }: LifeOutput['seals']): string {
  const all = right + wrong + not_yet
  if (wrong > 0) {
    return `Something is wrong: ${wrong} of the ${all} numbered lines do not match their hashes. ripper audit verify says more.`
  }
  if (not_yet > 0) {
    return `${not_yet} of the ${all} numbered lines are not sealed yet. The service seals lines some seconds after it writes them.`
  }
  return `All ${all} numbered lines are sealed and match their hashes.`
}
