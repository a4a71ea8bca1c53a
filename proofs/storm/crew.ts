// The processes of a storm: services and workers, each followed by another when it ends, as a supervisor would see to.

import { type ChildProcess, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { resolve } from 'node:path'
import { realClock } from '../../tests/support/world.ts'
import type { Arrived, Order } from './bank.ts'

const program = resolve(import.meta.dirname, 'program.ts')

export type Command = 'serve' | 'worker'

export type Member = {
  name: string
  command: Command
  child: ChildProcess
  /** What it said of itself; null until it runs. */
  said: { base_url?: string } | null
  is_frozen: boolean
  /** It is being stopped at a place on the wire, and nothing else is to befall it. */
  is_waited_for: boolean
  /** Its clock is wrong. */
  is_wrong: boolean
  /** Of one with a wrong clock: it said so when it was last asked. */
  is_ready: boolean
}

export type Crew = {
  /** Those that run; a frozen one does. */
  running(command?: Command): Member[]
  /** Where services are that run, frozen or not; not those that stand still on the wire, which a balancer would have noticed. */
  addresses(): string[]
  kill(member: Member): void
  freeze(member: Member): void
  thaw(member: Member): void
  /** Gives it an order. */
  tell(member: Member, order: Order): void
  /** Waits until it has arrived where it was ordered to wait; null where it does not, or ends before. */
  arrival(member: Member, within_ms: number): Promise<Arrived | null>
  /** What processes ended with that nobody had killed after they had begun to run. */
  fallen: string[]
  /** How many were started in all, and how many of them gave up before they ran. */
  counts: { started: number; gave_up: number }
  /** All run. */
  isComplete(): boolean
  /** From now on members are started with this environment. */
  dress(env: Record<string, string>): void
  /** Ends all, in order where they can. */
  stop(signal?: NodeJS.Signals): Promise<void>
}

type CrewOptions = {
  services: number
  workers: number
  /** One more of each, with a wrong clock: what is added to its environment, anew whenever it is started. */
  wrong?: Partial<Record<Command, () => Record<string, string>>>
  env: Record<string, string>
  log_file: string
}

const start_again_ms = 300
const commands: Command[] = ['serve', 'worker']

export function startCrew(asked: CrewOptions): Crew {
  const { services, workers, env: first, log_file, wrong = {} } = asked
  const members = new Set<Member>()
  const killed = new WeakSet<ChildProcess>()
  const fallen: string[] = []
  const counts = { started: 0, gave_up: 0 }
  const log = createWriteStream(log_file, { flags: 'a' })
  let env = first
  let is_over = false

  function start(name: string, command: Command, is_wrong = false): void {
    counts.started += 1
    const own = is_wrong ? wrong[command]!() : {}
    const child = spawn(process.execPath, [program, command], {
      env: { ...process.env, ...env, ...own },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    const free = { is_frozen: false, is_waited_for: false, is_wrong, is_ready: false }
    const member: Member = { name, command, child, said: null, ...free }
    members.add(member)
    let last_words = ''
    const hear = (part: Buffer) => {
      log.write(part)
      const words = last_words + part
      // Before they are cut: much of the log may come with what it says of itself.
      const found = member.said === null && /^\{\n[\s\S]*?\n\}$/m.exec(words)
      if (found) member.said = JSON.parse(found[0])
      last_words = words.slice(-4_000)
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    child.once('close', (status, signal) => {
      members.delete(member)
      const was_killed = killed.has(child)
      if (!was_killed && member.said === null) counts.gave_up += 1
      if (!was_killed && member.said !== null && !is_over) {
        fallen.push(`${name} ended with ${signal ?? status}: ${last_words.slice(-1_000)}`)
      }
      if (is_over) return
      void realClock.sleep(start_again_ms).then(() => is_over || start(name, command, is_wrong))
    })
  }

  for (let number = 1; number <= services; number += 1) start(`service ${number}`, 'serve')
  for (let number = 1; number <= workers; number += 1) start(`worker ${number}`, 'worker')
  for (const command of commands) {
    if (wrong[command]) start(`${command} with a wrong clock`, command, true)
  }

  const running = (command?: Command) =>
    [...members].filter((each) => each.said !== null && (command === undefined || each.command === command))
  return {
    running,
    fallen,
    counts,
    addresses: () =>
      running('serve')
        .filter((each) => !(each.is_waited_for && each.is_frozen) && (each.is_ready || !each.is_wrong))
        .map(({ said }) => said!.base_url!),
    isComplete: () => running().length === services + workers + Object.keys(wrong).length,
    kill({ child }) {
      killed.add(child)
      child.kill('SIGKILL')
    },
    freeze(member) {
      member.is_frozen = member.child.kill('SIGSTOP')
    },
    thaw(member) {
      member.is_frozen = false
      member.child.kill('SIGCONT')
    },
    tell({ child }, order) {
      if (child.connected) child.send(order, () => {})
    },
    arrival({ child }, within_ms) {
      const { promise, resolve } = Promise.withResolvers<Arrived | null>()
      const end = (arrived: Arrived | null) => {
        child.off('message', end)
        child.off('close', none)
        resolve(arrived)
      }
      const none = () => end(null)
      child.once('message', end)
      child.once('close', none)
      void realClock.sleep(within_ms).then(none)
      return promise
    },
    dress(next) {
      env = next
    },
    async stop(signal = 'SIGTERM') {
      is_over = true
      const ended = [...members].map(({ child }) => new Promise((closed) => child.once('close', closed)))
      for (const { child } of members) {
        child.kill('SIGCONT')
        child.kill(signal)
      }
      await Promise.all(ended)
      log.end()
    },
  }
}
