import { EventEmitter } from 'node:events'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runCommand } from '../main.ts'
import { asTyped, runIn } from './terminal.ts'

const typed = (sentence: string, npm_command: string | undefined) =>
  runIn(
    { environment: { npm_command }, stdout: new PassThrough(), stderr: new PassThrough(), signals: new EventEmitter() },
    async () => asTyped(sentence),
  )

test.each([
  ['ripper key list shows them.', 'npx ripper key list shows them.'],
  ['Run ripper a, then ripper b.', 'Run npx ripper a, then npx ripper b.'],
  ['(ripper user sign-out)', '(npx ripper user sign-out)'],
  ['Usage: ripper COMMAND', 'Usage: npx ripper COMMAND'],
  ['Run npx ripper, or npx ripper doctor.', 'Run npx ripper, or npx ripper doctor.'],
  ["use alias ripper='npx ripper'.", "use alias ripper='npx ripper'."],
  ['/usr/bin/ripper doctor, @ripper/node', '/usr/bin/ripper doctor, @ripper/node'],
  ['Ripper Checkout runs.', 'Ripper Checkout runs.'],
])('under npm: %s', async (sentence, expected) => {
  for (const npm_command of ['exec', 'start']) expect(await typed(sentence, npm_command)).toBe(expected)
  expect(await typed(sentence, undefined)).toBe(sentence)
})

test.each([
  [['help'], 'Usage: npx ripper COMMAND [options]'],
  [['key'], 'Usage: npx ripper COMMAND [options]'],
  [['hold', 'show', '--help'], 'npx ripper hold show PAYMENT_ID'],
  [['hold', 'show'], 'See: npx ripper help hold show'],
  [['holt', 'list'], 'Did you mean npx ripper hold list?'],
])('under npm %j says how to call a command', async (args, expected) => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const environment = { npm_command: 'exec' }
  await runIn({ environment, stdout, stderr, signals: new EventEmitter() }, () => runCommand(args))
  expect(`${stdout.read() ?? ''}${stderr.read() ?? ''}`).toContain(expected)
})
