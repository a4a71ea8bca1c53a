// `ripper orphan list`: authorisations without a payment, what will happen to each, and the brakes that are pulled.

import { type Orphan, type OrphanStanding, standingOf } from '../../checkout/orphan.ts'
import { listBrakes } from '../../checkout/orphans/orphan-brake-store.ts'
import { listOrphans } from '../../checkout/orphans/orphan-decision-store.ts'
import { countUnsettled, listSweeps } from '../../checkout/orphans/orphan-store.ts'
import { viewBrake, viewOrphan, viewSweep } from '../../checkout/orphans/orphan-views.ts'
import { text, wholeNumber, withCommandContext } from '../command-context.ts'
import { minutes } from '../reconcile/reconcile.ts'
import type { Command, OptionSpec } from '../terminal/command.ts'
import { money, oneLine, printJson, printLine, printTable, shortTime } from '../terminal/print.ts'
import { brakeWords, sweptWords } from './brake-words.ts'

const limit_default = 50
const limit_max = 1000

export const acquirerOption: OptionSpec = { value: 'NAME', meaning: 'only those of this acquirer' }

export const orphanList: Command = {
  name: 'orphan list',
  summary: 'Lists authorisations at an acquirer that no payment stands behind',
  options: {
    all: { meaning: 'also those that are settled, the newest first, and released brakes' },
    acquirer: acquirerOption,
    limit: { value: 'N', meaning: `how many, 1 to ${limit_max} (${limit_default})` },
  },
  remarks: [
    'due: the service reverses it, and tries again until the acquirer answers. While a brake is pulled, it reverses only what\n' +
      'was authorised after that.\n' +
      'not reversed: the same, but for two days no answer has settled it. It stays so until the acquirer does it, or until\n' +
      'ripper orphan leave. Look it up in the portal of the acquirer: it may hold the money of a shopper.\n' +
      'held back: it has our mark, but is unknown here, as after a failover or a restored backup that lost commits. The\n' +
      'service does not reverse it before a person says so.\n' +
      'just found: the search that found it goes on. Its end decides which of the two it is.',
    'With RIPPER_UNKNOWN_AUTHORISATIONS=reverse, unknown authorisations are held back only if a brake is pulled or if there\n' +
      'are too many.',
    'ripper orphan reverse lets the service reverse what is held back. ripper orphan leave decides that it never does.',
  ],
  async run({ options, json }) {
    const limit = wholeNumber(options, 'limit', limit_max) ?? limit_default
    const acquirer = text(options, 'acquirer')
    const settled_too = options.all === true
    const { found, counts, brakes, sweeps, acquirers, now } = await withCommandContext(
      async ({ sql, listAcquirers, clock }) => ({
        // One more than is shown, to know whether there are more.
        found: await listOrphans(sql, { acquirer, settled_too, limit: limit + 1 }),
        counts: await countUnsettled(sql, { acquirer, now: clock.now() }),
        brakes: await listBrakes(sql, { acquirer, released_too: settled_too }),
        sweeps: await listSweeps(sql, acquirer),
        acquirers: (await listAcquirers()).map((each) => each.acquirer),
        now: clock.now(),
      }),
    )
    const shown = found.slice(0, limit)
    const has_more = found.length > limit
    if (json) {
      printJson({
        ...counts,
        orphans: shown.map((orphan) => viewOrphan(orphan, now)),
        has_more,
        brakes: brakes.map(viewBrake),
        sweeps: sweeps.map(viewSweep),
      })
      return
    }
    if (shown.length === 0) {
      printLine(settled_too ? 'There was never an orphan.' : 'There is no orphan; --all lists those of the past.')
    } else
      printTable(
        headings,
        shown.map((orphan) => rowOf(orphan, now)),
        shown.map(notesOf),
      )
    if (has_more) printLine(`\nThere are more: --limit takes up to ${limit_max}.`)
    for (const brake of brakes) printLine(`\nThe ${brakeWords(brake)}`)
    if (brakes.some(({ released_at }) => released_at === null)) {
      printLine(
        sweptWords(
          sweeps,
          acquirers.filter(({ name }) => [null, name].includes(acquirer)),
        ),
      )
    }
    if (counts.held_back > 0) printLine(`\n${adviceFor(counts.held_back)}`)
  },
}

/** The state, in words for people. */
const words: Record<OrphanStanding, string> = {
  due: 'due',
  unreversed: 'not reversed',
  found: 'just found',
  held_back: 'held back',
  reversed: 'reversed',
  nothing_to_reverse: 'nothing to reverse',
  left: 'left',
}

// The simulator's name and the widest other values take 119 characters.
const headings = ['acquirer', 'reference', 'amount', 'authorised', 'found', 'state']

function rowOf(orphan: Orphan, now: Date): string[] {
  const { acquirer, reference, authorised_at, found_at } = orphan
  return [
    ...[acquirer, reference, money(orphan)],
    ...[authorised_at ? minutes(authorised_at) : '–', minutes(found_at)],
    words[standingOf(orphan, now)],
  ]
}

const text_max = 80

function notesOf(orphan: Orphan): string[] {
  const { merchant_id, payment_id, left_by, left_reason, released_by, released_at } = orphan
  const acquirer_id = orphan.handle ?? orphan.acquirer_transaction_id
  return [
    acquirer_id && oneLine(`${acquirer_id} at the acquirer`, text_max),
    merchant_id && `of ${payment_id}, merchant ${merchant_id}`,
    orphan.tries > 0 && triesOf(orphan),
    left_by && oneLine(`left by ${left_by}: ${left_reason}`, text_max),
    released_at && oneLine(`released at ${shortTime(released_at)} by ${released_by}`, text_max),
  ].filter((note) => typeof note === 'string')
}

function triesOf({ tries, next_try_at, last_failure }: Orphan): string {
  const times = tries === 1 ? 'tried once' : `tried ${tries} times`
  const again = next_try_at ? `, again at ${shortTime(next_try_at)}` : ''
  return `${times}${again}${last_failure === null ? '' : `: ${oneLine(last_failure, text_max)}`}`
}

function adviceFor(held_back: number): string {
  return [
    `Held back: ${held_back}. Commits were lost, with a failover or an old backup, or a copy of this database is in use.`,
    'They may be paid orders. To reverse them gives the money back.',
    '  ripper orphan reverse REFERENCE…|--held-back',
    '  ripper orphan leave REFERENCE…|--held-back --reason TEXT',
  ].join('\n')
}
