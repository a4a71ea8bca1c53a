// `ripper reconcile compare|findings|close`: compares our books with each acquirer's, and lets a person close
// differences.

import { readConfig } from '../config/config.ts'
import { type ComparisonResult, compareAcquirer } from '../payments/acquirer-comparison/compare-books.ts'
import { type Comparison, listComparisons } from '../payments/acquirer-comparison/comparison-store.ts'
import { viewComparison, viewFinding } from '../payments/acquirer-comparison/comparison-views.ts'
import { closeFindings, countOpenFindings, listFindings } from '../payments/acquirer-operations/finding-store.ts'
import { type CommandContext, limitOption, operatorName, reasonRule, withCommandContext } from './command-context.ts'
import { choiceOf, command, flag, needed, option } from './terminal/option.ts'
import { money, oneLine, printJson, printLine, printList, shortTime, within } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

type Finding = Awaited<ReturnType<typeof listFindings>>[number]

const acquirerOption = option('NAME', 'only this acquirer')

export const reconcileCompare = command({
  name: 'reconcile compare',
  summary: "Compares our captured and held payments with each acquirer's records, both ways, now",
  options: { acquirer: acquirerOption },
  remarks: [
    'It compares the last 48 hours, and earlier payments that no comparison has covered, with amounts and currencies. The\n' +
      'service does the same once a day. It corrects nothing: it notes each difference for a person. An authorisation without\n' +
      'a payment is an orphan, which ripper orphan list shows.',
    'The exit status is 1 if something differs, or if an acquirer could not be compared.',
  ],
  async run({ options, json }) {
    // The service may reverse an orphan that the comparison finds.
    const { compared, busy, open } = await withCommandContext((context) => compareAll(context, options.acquirer), {
      moves_money: true,
    })
    if (json) {
      printJson({ compared: compared.map(viewCompared), being_compared: busy, open_findings: open })
    } else {
      for (const each of compared) printLine(wordsOf(each))
      for (const name of busy) printLine(`Another process is comparing ${name} at this moment.`)
      printLine(open === 0 ? 'No finding is open.' : `Open findings: ${open}. ripper reconcile findings shows them.`)
    }
    return open > 0 || busy.length > 0 || compared.some(({ failure }) => failure !== null) ? 1 : 0
  },
})

async function compareAll(context: CommandContext, typed: string | undefined) {
  const { unknown_authorisations } = readConfig(terminal().environment)
  const acquirers = (await context.listAcquirers()).filter(({ acquirer }) => acquirer.lists)
  const names = acquirers.map(({ acquirer }) => acquirer.name)
  const acquirer_name = choiceOf('acquirer', typed, names)
  const compared: ComparisonResult[] = []
  const busy: string[] = []
  for (const swept of acquirers) {
    const { name } = swept.acquirer
    if (acquirer_name !== null && name !== acquirer_name) continue
    const result = await compareAcquirer({ ...context, unknown_authorisations }, swept, { at_once: true })
    if (result) compared.push(result)
    else busy.push(name)
  }
  return { compared, busy, open: await countOpenFindings(context.sql) }
}

export const reconcileFindings = command({
  name: 'reconcile findings',
  summary: "Lists charges and refunds for which an acquirer's record differs from ours",
  options: { all: flag('also those that agree again or were closed'), acquirer: acquirerOption, limit: limitOption },
  remarks: [
    'A finding ends by itself at the next comparison if both sides agree again. For the others, ask the acquirer, correct\n' +
      'what is wrong, and close the finding with ripper reconcile close.',
  ],
  async run({ options: { all: closed_too, acquirer = null, limit }, json }) {
    const { shown, has_more, comparisons } = await withCommandContext(async ({ sql }) => ({
      ...within(limit, await listFindings(sql, { acquirer, closed_too, limit: limit + 1 })),
      comparisons: await listComparisons(sql),
    }))
    if (json) {
      printJson({ findings: shown.map(viewFinding), has_more, comparisons: comparisons.map(viewComparison) })
      return
    }
    printList(shown, {
      headings: ['acquirer', 'reference', 'here', 'there', 'difference'],
      cells: ({ acquirer, reference, kind, ours, theirs }) => [
        ...[acquirer, reference, sideOf(ours), sideOf(theirs), differenceIn({ kind, ours, theirs })],
      ],
      notes: notesOf,
      nothing: closed_too ? 'There was never a finding.' : 'No finding is open.',
      has_more,
    })
    for (const each of comparisons) printLine(`\n${comparisonWords(each)}`)
  },
})

export const reconcileClose = command({
  name: 'reconcile close',
  summary: 'Closes findings that a person has looked at; it changes nothing else',
  positionals: ['REFERENCE…'],
  options: { acquirer: acquirerOption, reason: needed(option('TEXT', 'why; kept with your name', reasonRule)) },
  remarks: [
    'A finding opens again if either side changes later.',
    'The exit status is 1 if a reference had no open finding.',
  ],
  async run({ options: { acquirer = null, reason }, positionals: references, json }) {
    const why = { by: operatorName(), reason }
    const closed = await withCommandContext(({ sql, clock }) =>
      closeFindings(sql, { acquirer, references }, { at: clock.now(), ...why }),
    )
    const closedReferences = new Set(closed.map(({ reference }) => reference))
    const not_open = references.filter((reference) => !closedReferences.has(reference))
    if (json) printJson({ closed: closed.map(viewFinding), not_open })
    else {
      printLine(`Closed: ${closed.length}.`)
      for (const reference of not_open) printLine(`${reference}  has no open finding`)
    }
    return not_open.length > 0 ? 1 : 0
  },
})

function viewCompared({ found, ...compared }: ComparisonResult) {
  return { ...compared, found: found.map(viewFinding) }
}

function wordsOf({ acquirer, left_out, failure, ...compared }: ComparisonResult): string {
  if (failure !== null && left_out.length === 0) {
    return `${acquirer} could not be compared: ${oneLine(failure, text_max)}`
  }
  const { ours, theirs, found } = compared
  const words = `${acquirer}: ${ours} of ours and ${theirs} of theirs compared. New findings: ${found.length}.`
  return [words, ...left_out.map((reference) => `  without an answer: ${reference}`)].join('\n')
}

function comparisonWords({ acquirer, compared_until, failure }: Comparison): string {
  const until = compared_until ? `up to ${shortTime(compared_until)}` : 'never to the end'
  const failed = failure === null ? '' : `; the last time not: ${oneLine(failure, text_max)}`
  return `Compared with ${acquirer} ${until}${failed}.`
}

const text_max = 80

const words: Record<Finding['kind'], string> = {
  missing_there: 'missing there',
  declined_there: 'declined there',
  voided_there: 'voided there',
  reversed_there: 'reversed there',
  expired_there: 'expired there',
  reserved_there: 'only reserved there',
  captured_there: 'captured there',
  amount_differs: 'another amount',
  currency_differs: 'another currency',
}

function differenceIn({ kind, ours, theirs }: Pick<Finding, 'kind' | 'ours' | 'theirs'>): string {
  if (theirs.state === 'refunded' && kind === 'reversed_there') return 'refunded there'
  const are_refunds = kind === 'amount_differs' && ours.refunded_amount !== undefined
  if (!are_refunds) return words[kind]
  return ours.amount === theirs.amount ? 'another sum of refunds' : 'another amount, and refunds'
}

function sideOf({ state, amount, currency }: Finding['ours'] | Finding['theirs']): string {
  if (amount === null || currency === null) return state
  return `${state} ${money({ amount, currency })}`
}

/** Null if it is not the refunds that differ. */
function refundWords({ ours, theirs }: Pick<Finding, 'ours' | 'theirs'>): string | null {
  if (ours.refunded_amount === undefined || theirs.refunded_amount === undefined) return null
  const { currency } = ours
  const [here, there] = [ours, theirs].map(({ refunded_amount: amount }) => money({ amount: amount!, currency }))
  return `refunded here: ${here}, there: ${there}`
}

function notesOf(finding: Finding) {
  const { merchant_id, payment_id, found_at, seen_at, cleared_at, resolved_at } = finding
  return [
    refundWords(finding),
    `of ${payment_id}, merchant ${merchant_id}`,
    `found at ${shortTime(found_at)}, seen last at ${shortTime(seen_at)}`,
    cleared_at && `agrees since ${shortTime(cleared_at)}`,
    resolved_at && oneLine(`closed by ${finding.resolved_by}: ${finding.resolved_reason}`, text_max),
  ]
}
