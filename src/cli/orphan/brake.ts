// `ripper orphan brake|release`: a person holds back unknown authorisations, and releases the brake again.

import { type Brake, every_acquirer, brake as own_brake } from '../../checkout/orphan.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../checkout/orphans/orphan-brake-store.ts'
import { countUnsettled } from '../../checkout/orphans/orphan-store.ts'
import { viewBrake } from '../../checkout/orphans/orphan-views.ts'
import { findUnswept } from '../../checkout/orphans/unswept.ts'
import { type CommandContext, choice, operatorName, withCommandContext } from '../command-context.ts'
import { reasonOf } from '../reconcile/resolve.ts'
import { clockFault } from '../right-clock.ts'
import { type Command, CommandError, type OptionSpec, type Options } from '../terminal/command.ts'
import { printJson, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { brakeWords, sweptWords } from './brake-words.ts'

const whoseOption: OptionSpec = {
  value: 'NAME',
  meaning: 'only the brake of this acquirer; by default of every one',
}

export const orphanBrake: Command = {
  name: 'orphan brake',
  summary: 'Pulls the brake: the service finds unknown authorisations, but does not reverse them',
  options: {
    acquirer: whoseOption,
    reason: { value: 'TEXT', required: true, meaning: 'why; kept with your name' },
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
  async run({ options, json }) {
    const reason = reasonOf(options)
    const { brake, is_new, held_back } = await withCommandContext(async (context) => {
      const acquirer = (await acquirerNamed(context, options)) ?? every_acquirer
      const wanted: Brake = {
        acquirer,
        reason,
        pulled_at: context.clock.now(),
        pulled_by: operatorName(),
        released_at: null,
        released_by: null,
      }
      const pulled = await pullBrake(context.sql, wanted)
      await warnOfClock(context)
      const listed = await listBrakes(context.sql, { acquirer, released_too: false })
      const stands = listed.find((each) => each.acquirer === acquirer)
      if (!stands) throw new CommandError('somebody has just released the brake: pull it again')
      return { ...pulled, brake: stands }
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
}

export const orphanRelease: Command = {
  name: 'orphan release',
  summary: 'Releases the brake that ripper orphan brake or the service has pulled',
  options: {
    acquirer: {
      ...whoseOption,
      meaning: 'only the brake of this acquirer; by default all that are pulled',
    },
    anyway: { meaning: 'even if an acquirer was not swept since, or has no list' },
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
  async run({ options, json }) {
    const release = async (context: CommandContext) => {
      const { sql, clock } = context
      const acquirer = await acquirerNamed(context, options)
      const found = await listBrakes(sql, { acquirer, released_too: false })
      const brakes = found.filter((brake) => acquirer === null || brake.acquirer === acquirer)
      if (options.anyway !== true) await refuseUnlessSwept(context, brakes)
      const end = { brakes, at: clock.now(), by: operatorName() }
      const released = await releaseBrakes(sql, end)
      const pulled = await listBrakes(sql, { acquirer, released_too: false })
      const { held_back } = await countUnsettled(sql, { acquirer, now: clock.now() })
      return { released, pulled, held_back }
    }
    const { released, pulled, held_back } = await withCommandContext(release, { moves_money: true })
    if (released.length === 0 && pulled.length > 0) {
      const advice = options.acquirer ? 'Leave out --acquirer to let it go' : 'Somebody has just pulled it'
      throw new CommandError(`the ${brakeWords(pulled[0]!)}. ${advice}`)
    }
    if (json) {
      const views = { released: released.map(viewBrake), pulled: pulled.map(viewBrake) }
      printJson({ ...views, held_back })
      return
    }
    for (const brake of released) printLine(`The ${brakeWords(brake)}`)
    for (const brake of pulled) printLine(`The ${brakeWords(brake)}`)
    if (released.length === 0) printLine('None is pulled.')
    if (held_back > 0) printLine(`Still held back: ${held_back}. ripper orphan list shows them.`)
  },
}

/** A brake must not wait for a right clock. But a brake with a wrong time may be released too early, or much too late. */
async function warnOfClock({ sql }: CommandContext): Promise<void> {
  const fault = await clockFault(sql).catch(() => null)
  if (fault !== null) terminal().stderr.write(`${fault} Then pull the brake again.\n`)
}

/** Everything that was paid before the brake was pulled must be found while it is pulled. */
async function refuseUnlessSwept(context: CommandContext, brakes: Brake[]): Promise<void> {
  const found = await findUnswept(context, brakes)
  if (!found) return
  const { brake, sweeps, acquirers, unlisted } = found
  const advice =
    unlisted.length > 0
      ? `Nobody but you can go through ${unlisted.join(', ')}: compare its payments in its portal with those here, then add --anyway`
      : 'What is found after the release may be reversed: wait until the sweeps have come past the time when it was pulled, ' +
        'or add --anyway'
  throw new CommandError(`the ${brakeWords(brake)}. ${sweptWords(sweeps, acquirers)} ${advice}`)
}

/** Takes only names of acquirers that there are, because a misspelt one would hold back nothing. */
async function acquirerNamed({ listAcquirers }: CommandContext, options: Options): Promise<string | null> {
  const names = (await listAcquirers()).map(({ acquirer }) => acquirer.name)
  return choice(options, 'acquirer', names)
}
