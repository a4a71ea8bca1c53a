// `ripper orphan reverse|leave`: a person decides about unknown authorisations.

import type { OrphanStanding } from '../../checkout/orphan.ts'
import { leaveUnreversed, type OrphanDecisions, reverseHeldBack } from '../../checkout/orphans/decide-orphans.ts'
import type { OrphanSelection } from '../../checkout/orphans/orphan-decision-store.ts'
import { operatorName, text, withCommandContext } from '../command-context.ts'
import { reasonOf } from '../reconcile/resolve.ts'
import { type Command, type OptionSpec, type Options, UsageError } from '../terminal/command.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { acquirerOption } from './orphan.ts'

const whichOptions: Record<string, OptionSpec> = {
  'held-back': { meaning: 'all that are held back' },
  acquirer: acquirerOption,
}

const remark = 'The exit status is 1 if that failed for one that you named. It is done for the others all the same.'

export const orphanReverse: Command = {
  name: 'orphan reverse',
  summary: 'Lets the service reverse authorisations that are held back: the money goes back',
  positionals: ['[REFERENCE…]'],
  options: whichOptions,
  remarks: ['It also takes one that was left, if you name it.', remark],
  async run({ options, positionals, json }) {
    const which = whichOf(options, positionals)
    const decided = await withCommandContext((context) => reverseHeldBack(context, which, { by: operatorName() }), {
      moves_money: true,
    })
    const { length: released } = decided.changed
    if (json) printJson({ released, refused: decided.unchanged })
    else {
      tellOf(decided, {
        done: `${counted(released)} due now: the service reverses them as long as it runs.`,
        not_done: 'not released',
      })
    }
    return statusOf(decided)
  },
}

export const orphanLeave: Command = {
  name: 'orphan leave',
  summary: 'Decides that authorisations are not to be reversed: the acquirer keeps them',
  positionals: ['[REFERENCE…]'],
  options: {
    ...whichOptions,
    reason: { value: 'TEXT', required: true, meaning: 'why; kept with your name' },
  },
  remarks: [
    'They are never held back or reversed again, however often they are found. One whose reversal is under way at this\n' +
      'moment may still be reversed.',
    remark,
  ],
  async run({ options, positionals, json }) {
    const which = whichOf(options, positionals)
    const why = { by: operatorName(), reason: reasonOf(options) }
    const decided = await withCommandContext((context) => leaveUnreversed(context, which, why))
    const { length: left } = decided.changed
    if (json) printJson({ left, refused: decided.unchanged })
    else {
      tellOf(decided, {
        done: `${counted(left)} left: nothing reverses them.`,
        not_done: 'not left',
      })
    }
    return statusOf(decided)
  },
}

function whichOf(options: Options, named: string[]): OrphanSelection {
  const is_all = options['held-back'] === true
  if (is_all && named.length > 0) throw new UsageError('--held-back goes without a REFERENCE')
  if (!is_all && named.length === 0) throw new UsageError('needs a REFERENCE, or --held-back')
  if (!named.every((reference) => /^[0-9a-f]{32}$/.test(reference))) {
    throw new UsageError('REFERENCE must be 32 hexadecimal characters, as ripper orphan list shows it')
  }
  return { references: is_all ? null : [...new Set(named)], acquirer: text(options, 'acquirer') }
}

function tellOf({ changed, unchanged }: OrphanDecisions, { done, not_done }: { done: string; not_done: string }): void {
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

function statusOf({ unchanged }: OrphanDecisions): number {
  return unchanged.length > 0 ? 1 : 0
}
