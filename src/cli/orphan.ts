// `ripper orphan list|brake|release|reverse|leave`: authorisations without a payment, what will happen to each, and
// what a person decides about them.

import type { Acquirer } from '../acquirers/acquirer.ts'
import {
  type Brake,
  every_acquirer,
  type Orphan,
  type OrphanStanding,
  brake as own_brake,
  standingOf,
} from '../payments/orphan.ts'
import { leaveUnreversed, type OrphanDecisions, reverseHeldBack } from '../payments/orphans/decide-orphans.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../payments/orphans/orphan-brake-store.ts'
import { listOrphans, type OrphanSelection } from '../payments/orphans/orphan-decision-store.ts'
import { countUnsettled, listSweeps, type Sweep } from '../payments/orphans/orphan-store.ts'
import { viewBrake, viewOrphan, viewSweep } from '../payments/orphans/orphan-views.ts'
import { findUnswept } from '../payments/orphans/unswept.ts'
import {
  type CommandContext,
  clockFault,
  limitOption,
  operatorName,
  reasonRule,
  withCommandContext,
} from './command-context.ts'
import { CommandError, UsageError } from './terminal/command.ts'
import { choiceOf, command, flag, needed, option, type ValuesOf } from './terminal/option.ts'
import { minutes, money, oneLine, printJson, printLine, printList, shortTime, within } from './terminal/print.ts'
import { terminal } from './terminal/terminal.ts'

const acquirerOption = option('NAME', 'only those of this acquirer')

export const orphanList = command({
  name: 'orphan list',
  summary: 'Lists authorisations at an acquirer that no payment stands behind',
  options: {
    all: flag('also those that are settled, the newest first, and released brakes'),
    acquirer: acquirerOption,
    limit: limitOption,
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
  async run({ options: { all: settled_too, acquirer = null, limit }, json }) {
    const { shown, has_more, counts, brakes, sweeps, acquirers, now } = await withCommandContext(
      async ({ sql, listAcquirers, clock }) => ({
        ...within(limit, await listOrphans(sql, { acquirer, settled_too, limit: limit + 1 })),
        counts: await countUnsettled(sql, { acquirer, now: clock.now() }),
        brakes: await listBrakes(sql, { acquirer, released_too: settled_too }),
        sweeps: await listSweeps(sql, acquirer),
        acquirers: (await listAcquirers()).map((each) => each.acquirer),
        now: clock.now(),
      }),
    )
    if (json) {
      const orphans = shown.map((orphan) => viewOrphan(orphan, now))
      printJson({ ...counts, orphans, has_more, brakes: brakes.map(viewBrake), sweeps: sweeps.map(viewSweep) })
      return
    }
    printList(shown, {
      headings: ['acquirer', 'reference', 'amount', 'authorised', 'found', 'state'],
      cells: (orphan) => rowOf(orphan, now),
      notes: notesOf,
      nothing: settled_too ? 'There was never an orphan.' : 'There is no orphan; --all lists those of the past.',
      has_more,
    })
    for (const brake of brakes) printLine(`\nThe ${brakeWords(brake)}`)
    if (brakes.some(({ released_at }) => released_at === null)) {
      const waited_for = acquirers.filter(({ name }) => [null, name].includes(acquirer))
      printLine(sweptWords(sweeps, waited_for))
    }
    if (counts.held_back > 0) printLine(`\n${adviceFor(counts.held_back)}`)
  },
})

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

/** The simulator's name and the widest other values take 119 characters. */
function rowOf(orphan: Orphan, now: Date): string[] {
  const { acquirer, reference, authorised_at, found_at } = orphan
  const times = [authorised_at ? minutes(authorised_at) : '–', minutes(found_at)]
  return [acquirer, reference, money(orphan), ...times, words[standingOf(orphan, now)]]
}

const text_max = 80

function notesOf(orphan: Orphan) {
  const { merchant_id, payment_id, left_by, left_reason, released_by, released_at } = orphan
  const acquirer_id = orphan.handle ?? orphan.acquirer_transaction_id
  return [
    acquirer_id && oneLine(`${acquirer_id} at the acquirer`, text_max),
    merchant_id && `of ${payment_id}, merchant ${merchant_id}`,
    orphan.tries > 0 && triesOf(orphan),
    left_by && oneLine(`left by ${left_by}: ${left_reason}`, text_max),
    released_at && oneLine(`released at ${shortTime(released_at)} by ${released_by}`, text_max),
  ]
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

const reason_max = 200

/** Without the article, so that it fits into a sentence. */
export function brakeWords(brake: Brake): string {
  const { acquirer, pulled_at, pulled_by, reason, released_at, released_by } = brake
  const whose = acquirer === every_acquirer ? 'every acquirer' : acquirer
  const pulled = `pulled at ${shortTime(pulled_at)} by ${pulled_by}: ${oneLine(reason, reason_max)}`
  if (released_at === null) return `brake of ${whose} is ${pulled}`
  return `brake of ${whose} was ${pulled}; released at ${shortTime(released_at)} by ${released_by}`
}

/** `acquirers` are all that a brake may wait for. One without a list cannot be gone through. */
export function sweptWords(sweeps: Sweep[], acquirers: readonly Pick<Acquirer, 'name' | 'lists'>[]): string {
  const each = sweeps.map(({ acquirer, swept_until }) => `${acquirer} up to ${shortTime(swept_until)}`)
  const never = acquirers.filter(({ name, lists }) => lists && !sweeps.some(({ acquirer }) => acquirer === name))
  const unlisted = acquirers.filter(({ lists }) => !lists)
  const namesOf = (some: typeof never) => some.map(({ name }) => name).join(', ')
  return [
    ...(each.length > 0 ? [`Gone through: ${each.join(', ')}.`] : ['No acquirer was gone through yet.']),
    ...(never.length > 0 && each.length > 0 ? [`Not yet: ${namesOf(never)}.`] : []),
    ...(unlisted.length > 0 ? [`Without a list, so that only notices tell: ${namesOf(unlisted)}.`] : []),
  ].join(' ')
}

export const orphanBrake = command({
  name: 'orphan brake',
  summary: 'Pulls the brake: the service finds unknown authorisations, but does not reverse them',
  options: {
    acquirer: option('NAME', 'only the brake of this acquirer; by default of every one'),
    reason: needed(option('TEXT', 'why; kept with your name', reasonRule)),
  },
  remarks: [
    'Pull it after you restored a backup, before the service starts. Orders that were paid since the backup are then unknown\n' +
      'authorisations. The brake also holds back those that are due; a reversal that is under way may still succeed. A charge\n' +
      'that failed here, but lives at the acquirer, may have been left by a decision that is lost. So if it was authorised\n' +
      'before the brake was pulled, it waits until you release the brake. A later one is reversed as usual.',
    'The service pulls the brake by itself if the database seems to have gone back. The reason names the signs.',
    'If the brake is pulled already, it counts from now on, because the backup may have been made while it was pulled.',
    'ripper orphan list shows what is held back. ripper orphan reverse and ripper orphan leave decide about it, also while\n' +
      'the brake is pulled. ripper orphan release releases the brake.',
  ],
  async run({ options: { acquirer: typed, reason }, json }) {
    const { brake, is_new, held_back } = await withCommandContext(async (context) => {
      const acquirer = (await acquirerNamed(context, typed)) ?? every_acquirer
      const pulled = { acquirer, reason, pulled_at: context.clock.now(), pulled_by: operatorName() }
      const result = await pullBrake(context.sql, { ...pulled, released_at: null, released_by: null })
      await warnOfClock(context)
      const brakes = await listBrakes(context.sql, { acquirer, released_too: false })
      const brake = brakes.find((each) => each.acquirer === acquirer)
      if (!brake) throw new CommandError('somebody has just released the brake: pull it again')
      return { ...result, brake }
    })
    if (json) {
      printJson({ brake: viewBrake(brake), is_new, held_back })
      return
    }
    printLine(
      is_new ? `The ${brakeWords(brake)}` : `It was pulled already, and counts from now on: the ${brakeWords(brake)}`,
    )
    if (held_back > 0) printLine(`Held back now: ${held_back}. ripper orphan list shows them.`)
  },
})

export const orphanRelease = command({
  name: 'orphan release',
  summary: 'Releases the brake that ripper orphan brake or the service has pulled',
  options: {
    acquirer: option('NAME', 'only the brake of this acquirer; by default all that are pulled'),
    anyway: flag('even if an acquirer was not swept since, or has no list'),
  },
  remarks: [
    'An authorisation that is held back stays so until ripper orphan reverse or ripper orphan leave decides about it. As long\n' +
      'as there is one, the service also holds back whatever it finds later, and what a sweep has found so far.',
    'Known orphans from before are due after the release: first leave those that must not be reversed.',
    'An unknown authorisation that is found later pulls the brake again. With RIPPER_UNKNOWN_AUTHORISATIONS=reverse the\n' +
      `service reverses it instead, unless it finds more than ${own_brake.most} within ${own_brake.within_ms / 3_600_000} hours.`,
    'So the command refuses until every acquirer was swept past the time when the brake was pulled. With the service running\n' +
      'that takes some seven minutes. ripper orphan list shows how far the sweeps have come. An acquirer without a list, such as\n' +
      'Adyen, is never swept: compare its payments by hand, then add --anyway.',
  ],
  async run({ options: { acquirer: typed, anyway }, json }) {
    const release = async (context: CommandContext) => {
      const { sql, clock } = context
      const acquirer = await acquirerNamed(context, typed)
      const listed = await listBrakes(sql, { acquirer, released_too: false })
      const brakes = listed.filter((brake) => acquirer === null || brake.acquirer === acquirer)
      if (!anyway) await refuseUnlessSwept(context, brakes)
      const released = await releaseBrakes(sql, { brakes, at: clock.now(), by: operatorName() })
      const pulled = await listBrakes(sql, { acquirer, released_too: false })
      const { held_back } = await countUnsettled(sql, { acquirer, now: clock.now() })
      return { released, pulled, held_back }
    }
    const { released, pulled, held_back } = await withCommandContext(release, { moves_money: true })
    if (released.length === 0 && pulled.length > 0) {
      const advice = typed ? 'Leave out --acquirer to let it go' : 'Somebody has just pulled it'
      throw new CommandError(`the ${brakeWords(pulled[0]!)}. ${advice}`)
    }
    if (json) {
      printJson({ released: released.map(viewBrake), pulled: pulled.map(viewBrake), held_back })
      return
    }
    for (const brake of [...released, ...pulled]) printLine(`The ${brakeWords(brake)}`)
    if (released.length === 0) printLine('None is pulled.')
    if (held_back > 0) printLine(`Still held back: ${held_back}. ripper orphan list shows them.`)
  },
})

/** A brake must not wait for a right clock. But a brake with a wrong time may be released too early, or much too late. */
async function warnOfClock({ sql }: CommandContext): Promise<void> {
  const fault = await clockFault(sql).catch(() => null)
  if (fault !== null) terminal().stderr.write(`${fault} Then pull the brake again.\n`)
}

/** Everything that was paid before the brake was pulled must be found while it is pulled. */
async function refuseUnlessSwept(context: CommandContext, brakes: Brake[]): Promise<void> {
  if (brakes.length > 0 && context.clock_is_shifted) {
    throw new CommandError(
      "the service's clock is shifted, so that a sweep seems to have come further than it has. Restart without " +
        'RIPPER_CLOCK_OFFSET_SECONDS first, or add --anyway',
    )
  }
  const unswept = await findUnswept(context, brakes)
  if (!unswept) return
  const { brake, sweeps, acquirers, unlisted } = unswept
  const advice =
    unlisted.length > 0
      ? `Nobody but you can go through ${unlisted.join(', ')}: compare its payments in its portal with those here, then add --anyway`
      : 'What is found after the release may be reversed: wait until the sweeps have come past the time when it was pulled, ' +
        'or add --anyway'
  throw new CommandError(`the ${brakeWords(brake)}. ${sweptWords(sweeps, acquirers)} ${advice}`)
}

/** Takes only names of acquirers that there are, because a misspelt one would hold back nothing. */
async function acquirerNamed({ listAcquirers }: CommandContext, typed: string | undefined): Promise<string | null> {
  const names = (await listAcquirers()).map(({ acquirer }) => acquirer.name)
  return choiceOf('acquirer', typed, names)
}

const whichOptions = { 'held-back': flag('all that are held back'), acquirer: acquirerOption }
const remark = 'The exit status is 1 if that failed for one that you named. It is done for the others all the same.'

export const orphanReverse = command({
  name: 'orphan reverse',
  summary: 'Lets the service reverse authorisations that are held back: the money goes back',
  positionals: ['[REFERENCE…]'],
  options: whichOptions,
  remarks: ['It also takes one that was left, if you name it.', remark],
  async run({ options, positionals, json }) {
    const which = whichOf(options, positionals)
    const decisions = await withCommandContext((context) => reverseHeldBack(context, which, { by: operatorName() }), {
      moves_money: true,
    })
    const { length: released } = decisions.changed
    if (json) printJson({ released, refused: decisions.unchanged })
    else {
      const outcome = `${counted(released)} due now: the service reverses them as long as it runs.`
      printDecisions(decisions, { done: outcome, not_done: 'not released' })
    }
    return decisions.unchanged.length > 0 ? 1 : 0
  },
})

export const orphanLeave = command({
  name: 'orphan leave',
  summary: 'Decides that authorisations are not to be reversed: the acquirer keeps them',
  positionals: ['[REFERENCE…]'],
  options: { ...whichOptions, reason: needed(option('TEXT', 'why; kept with your name', reasonRule)) },
  remarks: [
    'They are never held back or reversed again, however often they are found. One whose reversal is under way at this\n' +
      'moment may still be reversed.',
    remark,
  ],
  async run({ options, positionals, json }) {
    const which = whichOf(options, positionals)
    const why = { by: operatorName(), reason: options.reason }
    const decisions = await withCommandContext((context) => leaveUnreversed(context, which, why))
    const { length: change_count } = decisions.changed
    if (json) printJson({ left: change_count, refused: decisions.unchanged })
    else
      printDecisions(decisions, { done: `${counted(change_count)} left: nothing reverses them.`, not_done: 'not left' })
    return decisions.unchanged.length > 0 ? 1 : 0
  },
})

function whichOf(options: ValuesOf<typeof whichOptions>, references: string[]): OrphanSelection {
  const { 'held-back': all, acquirer = null } = options
  if (all && references.length > 0) throw new UsageError('--held-back goes without a REFERENCE')
  if (!all && references.length === 0) throw new UsageError('needs a REFERENCE, or --held-back')
  if (!references.every((reference) => /^[0-9a-f]{32}$/.test(reference))) {
    throw new UsageError('REFERENCE must be 32 hexadecimal characters, as ripper orphan list shows it')
  }
  return { references: all ? null : [...new Set(references)], acquirer }
}

function printDecisions(
  { changed, unchanged }: OrphanDecisions,
  { done, not_done }: { done: string; not_done: string },
): void {
  if (changed.length > 0) printLine(done)
  else if (unchanged.length === 0) printLine('None is held back.')
  for (const { reference, state } of unchanged) {
    const why = state === null ? 'there is none of this reference' : whyNot[state]
    terminal().stderr.write(`${reference}  ${not_done}: ${why}\n`)
  }
}

const whyNot: Record<OrphanStanding, string> = {
  due: 'it is due, and the service reverses it',
  unreversed: 'it is due, but for days no answer has settled it: ask the acquirer',
  found: 'the search that found it goes on, and may hold it back',
  held_back: 'it is held back again',
  reversed: 'it was reversed',
  nothing_to_reverse: 'there was nothing to reverse',
  left: 'it was left before',
}

function counted(count: number): string {
  return count === 1 ? '1 authorisation is' : `${count} authorisations are`
}
