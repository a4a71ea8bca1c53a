// One process of a storm: service or worker, built as `ripper serve` and `ripper worker` build them, but for its bank, and for
// its clock where the storm wants a wrong one. It is started by crew.ts, which it hears and tells over its channel.

import { readConfig } from '../../src/config/config.ts'
import { serve, work } from '../../src/main.ts'
import { openWorld, realClock } from '../../src/outgoing/real-world.ts'
import type { Between } from '../../src/service/acquiring.ts'
import { type Arrived, type Order, openBank, openWire } from './bank.ts'

const config = readConfig()
const right = openWorld(config)
const machine = realClock()
const right_now = Date.now
// The bank has a machine of its own, which goes right, and looks ahead as the service is meant to.
const bank_clock = {
  sleep: machine.sleep,
  now: () => new Date(right_now() + config.clock_offset_seconds * 1000),
}
const ahead_ms = Number(process.env.STORM_CLOCK_AHEAD_MS ?? 0)
// The whole process has it wrong, as it would on a machine that has it wrong.
Date.now = () => right_now() + ahead_ms

const wire = openWire((arrived: Arrived) => process.send!(arrived))
process.on('message', (order: Order) => wire.hear(order))
// It must not outlive its storm.
process.on('disconnect', () => process.exit(1))

const bank = openBank({ clock: bank_clock, random: right.random }, process.env.STORM_BANK_URL ?? null)
const between: Between = {
  wrapSimulator: (simulator) => wire.around(bank(simulator)),
  wrapVendors: wire.aroundVendors,
}
const stopped = new Promise<void>((resolve) => {
  process.once('SIGTERM', () => resolve())
})

try {
  const running =
    process.argv[2] === 'worker'
      ? { ...(await work(config, between)), base_url: null }
      : await serve(config, { demo: false }, between)
  process.stdout.write(`${JSON.stringify({ base_url: running.base_url }, null, 2)}\n`)
  await stopped
  process.exit((await running.stop()) ? 0 : 1)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exit(1)
}
