// `npm run power`: what the embedded server keeps when the power goes, and what it does on a full disk. Needs root.

import { count, readAsked } from '../asked.ts'
import { reasonNotTo } from './disk.ts'
import { type Full, fillDisk } from './disk-full.ts'
import { losePower } from './power-loss.ts'

const asked = readAsked('power', { rounds: count(4) })
const say = (line: string) => void process.stdout.write(`${line}\n`)

const reason = reasonNotTo()
if (reason) say(`skipped: power loss, disk full (${reason})`)
else process.exitCode = (await proveAll()).length === 0 ? 0 : 1

async function proveAll(): Promise<string[]> {
  const faults: string[] = []
  for (let round = 1; round <= asked.rounds; round += 1) {
    const lost = await losePower(1_000 + round * 700)
    say(`power loss ${round}: ${lost.acked} acked of ${lost.asked} asked, ${lost.faults.length} broken facts`)
    faults.push(...lost.faults)
  }
  for (const what of ['tables', 'log'] as const) faults.push(...(await proveFull(what)))
  for (const fault of faults.slice(0, 20)) say(`  ${fault.slice(0, 600)}`)
  return faults
}

async function proveFull(what: Full): Promise<string[]> {
  const full = await fillDisk(what)
  say(
    `disk full (${what}): ${full.acked} acked, ${full.refused} refused with 503, back ${Math.round(full.recovery_ms)} ms after there was room, ${full.faults.length} broken facts`,
  )
  return full.faults
}
