// What several commands take, asked of each that takes it: the table of commands says which those are. What is typed wrongly is refused
// before there is a database.

import { describe, expect, test } from 'vitest'
import { commands } from '../../src/cli/commands.ts'
import type { Command, OptionSpec } from '../../src/cli/terminal/command.ts'
import { useOperated } from '../support/operated.ts'
import { ripper } from '../support/programs.ts'

const { env } = await useOperated()
const nowhere = { RIPPER_DATA_DIR: '/nowhere' }

const samples: Record<string, string> = {
  PAYMENT_ID: `pay_${'0'.repeat(24)}`,
  DELIVERY_ID: '0'.repeat(32),
  LINK_ID: `plink_${'0'.repeat(24)}`,
  DISPUTE_ID: `dsp_${'0'.repeat(24)}`,
  PAYOUT_ID: `po_${'0'.repeat(24)}`,
  EMAIL: 'jo@shop.example',
  EVENT: 'captured',
  URL: 'https://shop.example/pay/tea',
  amount: '4200',
  as: 'failed',
  currency: 'GBP',
  email: 'jo@shop.example',
  month: '2027-01',
  role: 'owner',
  url: 'https://shop.example/hooks',
}
/** What a command wants besides, where it is given what a test is about. */
const besides: Record<string, string[]> = { 'user link': ['--role', 'owner'], 'delivery replay': ['--all-dead'] }

const argumentsOf = ({ positionals = [] }: Command) => positionals.filter((name) => !name.startsWith('['))
const requiredOf = ({ options }: Command) => Object.keys(options).filter((name) => options[name]!.required)

/** A call with all that a command needs, and what is given. */
function callOf(command: Command, given: Record<string, string> = {}): string[] {
  const typed = (name: string) => given[name] ?? samples[name] ?? '0'
  const names = new Set([...requiredOf(command), ...Object.keys(given).filter((name) => name in command.options)])
  return [
    ...[...command.name.split(' '), ...argumentsOf(command).map(typed), ...(besides[command.name] ?? [])],
    ...[...names].flatMap((name) => [`--${name}`, typed(name)]),
  ]
}

/** The options of a kind, each with its command. */
function optionsThat(are: (spec: OptionSpec, name: string, command: Command) => boolean): [string, string, Command][] {
  return commands.flatMap((command) =>
    Object.keys(command.options)
      .filter((name) => are(command.options[name]!, name, command))
      .map((name): [string, string, Command] => [command.name, name, command]),
  )
}

function commandsThat(are: (command: Command) => boolean): [string, Command][] {
  return commands.filter(are).map((command) => [command.name, command])
}

async function refuses(args: string[], words: string): Promise<void> {
  const { status, stderr } = await ripper(args, { env: nowhere })
  expect([status, stderr]).toEqual([2, expect.stringContaining(words)])
}

test.each(optionsThat(({ value }) => value?.includes('|') ?? false))('%s --%s takes some words', (_, name, command) => {
  const [first] = command.options[name]!.value!.split('|')
  return refuses(callOf(command, { [name]: 'x' }), `--${name} must be one of ${first}`)
})

test.each(optionsThat(({ value }) => value === 'N'))('%s --%s takes a whole number', async (_, name, command) => {
  for (const wrong of ['all', '1.5', '']) {
    await refuses(callOf(command, { [name]: wrong }), `--${name} must be a whole number`)
  }
})

test.each(optionsThat((_, name) => name === 'limit'))('%s --%s has bounds', async (_, name, command) => {
  const most = command.name === 'delivery list' ? 100 : 1000
  for (const wrong of ['0', '-1', String(most + 1)]) {
    await refuses(callOf(command, { [name]: wrong }), `--limit must be a whole number from 1 to ${most}`)
  }
})

test.each(optionsThat(({ value }) => value === 'TIME'))('%s --%s takes a time', (_, name, command) =>
  refuses(callOf(command, { [name]: 'noon' }), `--${name} must be an ISO 8601 time`),
)

test.each(optionsThat(({ value }, name) => value === 'FILE.json' && name !== 'credentials'))(
  '%s --%s takes a file',
  (_, name, command) =>
    refuses(callOf(command, { [name]: '/nowhere.json' }), `--${name} must name a readable JSON file`),
)

// The reason of a refund is the merchant's to read, and may have lines.
test.each(optionsThat((_, name, command) => name === 'reason' && command.name !== 'refund create'))(
  '%s --%s takes a line without a card number',
  async (_, name, command) => {
    for (const wrong of [' ', 'x'.repeat(201), 'one\ntwo']) {
      await refuses(callOf(command, { [name]: wrong }), '--reason must have 1 to 200 characters, in one line')
    }
    await refuses(callOf(command, { [name]: 'of 4242 4242 4242 4242' }), '--reason must not hold a card number')
  },
)

test.each(commandsThat((command) => requiredOf(command).length > 0))('%s needs an option', (name, command) =>
  refuses([...name.split(' '), ...argumentsOf(command)], `needs --${requiredOf(command)[0]}`),
)

test.each(commandsThat((command) => argumentsOf(command).length > 0))('%s needs an argument', (name, command) =>
  refuses(name.split(' '), `needs ${argumentsOf(command).join(' and ')}`),
)

test.each(commandsThat(({ positionals = [] }) => !positionals.some((name) => name.includes('…'))))(
  '%s takes no argument more',
  (name, { positionals = [] }) =>
    refuses([...name.split(' '), ...positionals, 'one-more'], 'takes no argument such as one-more'),
)

const ofPayments = commandsThat(({ positionals }) => positionals?.[0] === 'PAYMENT_ID')

test.each(ofPayments)('%s takes the id of a payment', (_, command) =>
  refuses(callOf(command, { PAYMENT_ID: 'cs_1' }), 'PAYMENT_ID must be '),
)

describe('on a database', () => {
  test.each(ofPayments)('%s finds no unknown payment', async (_, command) => {
    const { status, stderr } = await ripper(callOf(command), { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining('There is no payment ')])
  })

  // A command with a key asks the service whose it is, and a connection wants its credentials first.
  test.each(
    optionsThat((_, name, { name: command, options }) => {
      return name === 'merchant' && !('key' in options) && command !== 'connection create'
    }),
  )('%s finds no unknown --%s', async (_, name, command) => {
    const { status, stderr } = await ripper(callOf(command, { [name]: 'm_0' }), { env })
    expect([status, stderr]).toEqual([1, expect.stringContaining('There is no merchant m_0')])
  })
})
