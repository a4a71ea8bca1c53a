// `ripper orphan brake|release`: a person holds back all that nobody here knows, and lets go again.

import { every_acquirer, brake as own_brake, type PulledBrake } from '../../checkout/orphan.ts'
import { listBrakes, pullBrake, releaseBrakes } from '../../checkout/orphans/orphan-brake-store.ts'
import { countUnsettled, listSweeps } from '../../checkout/orphans/orphan-store.ts'
import { type CommandOffice, choice, operatorName, withOffice } from '../office.ts'
import { reasonOf } from '../reconcile/resolve.ts'
import { clockFault } from '../right-clock.ts'
import { type Command, CommandRefused, type OptionSpec, type Options } from '../terminal/command.ts'
import { printJson, tell } from '../terminal/print.ts'
import { brakeWords, sweptWords, viewBrake } from './brake-words.ts'

const whoseOption: OptionSpec = {
  value: 'NAME',
  meaning: 'only the brake of this acquirer; else that of every one',
}

export const orphanBrake: Command = {
  name: 'orphan brake',
  summary: 'Pulls the brake: authorisations that nobody here knows are found, and not reversed',
  options: {
    acquirer: whoseOption,
    reason: { value: 'TEXT', required: true, meaning: 'why; kept with your name' },
  },
  remarks: [
    'Pull it after a backup was restored, before the service starts: the orders that were paid since the backup are\n' +
      'authorisations that nobody here knows. It also holds back those that are due; one whose reversal is under way at\n' +
      'this moment may still be reversed. A charge that failed here and lives at the acquirer waits until the brake is let\n' +
      'go, if it was authorised before: a decision to leave it may be lost. A later one is reversed all the same.',
    'The service pulls it by itself where the database seems to have gone back: its reason tells the signs.',
    'Where it is pulled already, it counts anew from now on: the backup may have been made while it was.',
    'ripper orphan list shows what is held back. ripper orphan reverse and ripper orphan leave decide about it while the\n' +
      'brake is pulled, too; ripper orphan release lets go of the brake.',
  ],
  async run({ options, json }) {
    const reason = reasonOf(options)
    const { brake, is_new, held_back } = await withOffice(async (office) => {
      const acquirer = (await acquirerNamed(office, options)) ?? every_acquirer
      const wanted: PulledBrake = {
        acquirer,
        reason,
        pulled_at: office.clock.now(),
        pulled_by: operatorName(),
        released_at: null,
        released_by: null,
      }
      const pulled = await pullBrake(office.sql, wanted)
      await warnOfClock(office)
      const listed = await listBrakes(office.sql, { acquirer, released_too: false })
      const stands = listed.find((each) => each.acquirer === acquirer)
      if (!stands)
        throw new CommandRefused('somebody let go of it at this very moment: pull it again')
      return { ...pulled, brake: stands }
    })
    if (json) {
      printJson({ brake: viewBrake(brake), is_new, held_back })
      return
    }
    tell(
      is_new
        ? `The ${brakeWords(brake)}`
        : `It was pulled before, and counts anew: the ${brakeWords(brake)}`,
    )
    if (held_back > 0) tell(`Held back now: ${held_back}. ripper orphan list shows them.`)
  },
}

export const orphanRelease: Command = {
  name: 'orphan release',
  summary: 'Lets go of the brake that ripper orphan brake or the service has pulled',
  options: {
    acquirer: {
      ...whoseOption,
      meaning: 'only the brake of this acquirer; else all that are pulled',
    },
    anyway: { meaning: 'even where an acquirer was not gone through since' },
  },
  remarks: [
    'What is held back stays so until it is decided by ripper orphan reverse or ripper orphan leave, and as long as one is,\n' +
      'so is what is found after it; also what a sweep under way has found by now. Known ones that were there before are due\n' +
      'then: first leave those that are not to be reversed. What is found later pulls the brake again, or is reversed where\n' +
      `RIPPER_UNKNOWN_AUTHORISATIONS is reverse, unless more than ${own_brake.most} are found within ${own_brake.within_ms / 3_600_000} hours. So a brake is let go\n` +
      'only when each acquirer was gone through up to a time after it was pulled, some seven minutes with the service\n' +
      'running. ripper orphan list says how far that is.',
  ],
  async run({ options, json }) {
    const release = async (office: CommandOffice) => {
      const { sql, clock } = office
      const acquirer = await acquirerNamed(office, options)
      const found = await listBrakes(sql, { acquirer, released_too: false })
      const brakes = found.filter((brake) => acquirer === null || brake.acquirer === acquirer)
      if (options.anyway !== true) await refuseUnlessSwept(office, brakes)
      const end = { brakes, at: clock.now(), by: operatorName() }
      const released = await releaseBrakes(sql, end)
      const pulled = await listBrakes(sql, { acquirer, released_too: false })
      return { released, pulled, held_back: (await countUnsettled(sql, acquirer)).held_back }
    }
    const { released, pulled, held_back } = await withOffice(release, { moves_money: true })
    if (released.length === 0 && pulled.length > 0) {
      const advice = options.acquirer
        ? 'Leave out --acquirer to let it go'
        : 'Somebody has just pulled it'
      throw new CommandRefused(`the ${brakeWords(pulled[0]!)}. ${advice}`)
    }
    if (json) {
      const views = { released: released.map(viewBrake), pulled: pulled.map(viewBrake) }
      printJson({ ...views, held_back })
      return
    }
    for (const brake of released) tell(`The ${brakeWords(brake)}`)
    for (const brake of pulled) tell(`The ${brakeWords(brake)}`)
    if (released.length === 0) tell('None is pulled.')
    if (held_back > 0) tell(`Still held back: ${held_back}. ripper orphan list shows them.`)
  },
}

/** A brake must not wait for a clock; but one that bears a wrong time may be let go of too early or not for long. */
async function warnOfClock({ sql }: CommandOffice): Promise<void> {
  const fault = await clockFault(sql).catch(() => null)
  if (fault !== null) process.stderr.write(`${fault} Then pull the brake again.\n`)
}

/** What was paid before the brake was pulled has to be found while it is. */
async function refuseUnlessSwept(
  { sql, listAcquirers }: CommandOffice,
  brakes: PulledBrake[],
): Promise<void> {
  const sweeps = await listSweeps(sql, null)
  const names = (await listAcquirers()).map((each) => each.acquirer.name)
  const until = new Map(sweeps.map((sweep) => [sweep.acquirer, sweep.swept_until.getTime()]))
  const isWaitedFor = (brake: PulledBrake) => {
    const braked = brake.acquirer === every_acquirer ? names : [brake.acquirer]
    return braked.some((name) => (until.get(name) ?? 0) <= brake.pulled_at.getTime())
  }
  const brake = brakes.find(isWaitedFor)
  if (!brake) return
  throw new CommandRefused(
    `the ${brakeWords(brake)}. ${sweptWords(sweeps, names)} What is found after it is let go may be reversed: wait until ` +
      'that is a time after it was pulled, or say --anyway',
  )
}

/** Of those that are configured: one that is misspelt would hold back nothing. */
async function acquirerNamed(
  { listAcquirers }: CommandOffice,
  options: Options,
): Promise<string | null> {
  const names = (await listAcquirers()).map(({ acquirer }) => acquirer.name)
  return choice(options, 'acquirer', names)
}
