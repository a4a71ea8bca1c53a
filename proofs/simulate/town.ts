// Where requests of shoppers and merchants go: the processes that are up, of which any may die and another takes its place.

import type { Mark } from '../../src/database/rollback-detection/high-water.ts'
import type { MarkMemory } from '../../src/database/rollback-detection/high-water-file.ts'
import type { HttpAnswer, Plant } from './plants.ts'
import { startProcess } from './process.ts'
import type { Owner } from './scheduler.ts'
import type { Process, Surroundings } from './surroundings.ts'
import type { Violations } from './violations.ts'

export type HttpCall = {
  method: 'GET' | 'POST' | 'DELETE'
  path: string
  headers?: Record<string, string>
  body?: object
  /** Sent as a browser posts a form. */
  form?: Record<string, string>
  /** Sent as JSON, byte for byte. */
  raw?: string
}

// biome-ignore lint/suspicious/noExplicitAny: actors look into bodies of every shape.
export type Body = any
export type Answer = HttpAnswer & { body: Body }

export type Town = {
  /** Null where no answer came: it may have been done or not. */
  ask(asked: HttpCall): Promise<Answer | null>
  /** One that is up, or null. */
  anyProcess(): Process | null
  processes(): readonly Process[]
  /** Stops one in order, and starts another. */
  stopOne(): void
  /** Whether it is a process, and another one is up and awake. */
  mayDoWithout(process: Owner): boolean
  /** One stands still for so long: whoever waits for it may lose patience. */
  noteStall(process: Owner, duration_ms: number): void
  /** All die at once, and others are started. */
  killAll(): void
  /** Somebody has changed what is due beside them. */
  changedDue(): void
  /** Everything ends where it is. */
  close(): void
  crashes(): number
  requests(): number
  /** How often what is due may have changed. */
  changesOfDue(): number
}

type Around = Surroundings & { plant: Plant; violations: Violations }

export function openTown(around: Omit<Around, 'crashed' | 'changedDue' | 'marks'>, count: number): Town {
  const { scheduler, faults, chance, outside, violations, plant } = around
  const visitor: Owner = outside
  const up: Process[] = []
  const leaving = new Set<Process>()
  let mark: Mark | null = null
  const marks: MarkMemory = {
    recall: () => mark,
    async remember(seen) {
      mark = seen
    },
  }
  let started = 0
  let crashes = 0
  let requests = 0
  let changes = 0
  const changedDue = () => {
    changes += 1
  }
  const clock = scheduler.clockOf(outside)
  const waits = new Set<{ process: Owner; giveUp(): void }>()

  function start(): void {
    started += 1
    up.push(startProcess({ ...around, marks, crashed, changedDue }, `process ${started}`))
  }

  function crashed(process: Process): void {
    crashes += 1
    if (!up.includes(process)) return
    up.splice(up.indexOf(process), 1)
    start()
  }

  function stopOne(): void {
    const process = anyProcess()
    if (!process) return
    up.splice(up.indexOf(process), 1)
    start()
    const whenAnswered = async () => {
      while (process.under_way > 0) await clock.sleep(500)
      await process.stop()
      leaving.delete(process)
    }
    leaving.add(process)
    scheduler.spawn(whenAnswered())
  }

  const ready = () => up.filter((each) => each.service !== null && scheduler.isAwake(each))
  const anyProcess = () => (ready().length === 0 ? null : chance.pick(ready()))

  async function ask(asked: HttpCall): Promise<Answer | null> {
    requests += 1
    const name = `${asked.method} ${asked.path.split('?')[0]}`
    const fate = await scheduler.effect(visitor, name, () =>
      faults.happens('request: lost on its way', 'request: answer lost', 'request: sent twice'),
    )
    if (fate === 'request: lost on its way') return null
    while (ready().length === 0) await clock.sleep(20)
    // One that came under faults may be answered by one of them after the faults have stopped.
    const was_faultless = !faults.are_on()
    const sent = [send(asked)]
    // A proxy that gets no answer may ask the next process.
    if (fate === 'request: sent twice') sent.push(send(asked))
    const [heard] = await Promise.all(sent)
    return scheduler.effect(visitor, `answered ${heard?.status ?? 'by nobody'} ${name}`, () => {
      if (heard) judge(name, heard, was_faultless)
      return fate === 'request: answer lost' ? null : (heard ?? null)
    })
  }

  async function send({ method, path, headers, body, form, raw }: HttpCall): Promise<Answer | null> {
    const process = anyProcess()!
    const json = raw ?? (body && JSON.stringify(body))
    const payload = form ? new URLSearchParams(form).toString() : json
    const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
    process.under_way += 1
    const impatience = Promise.withResolvers<null>()
    const waiting = { process, giveUp: () => impatience.resolve(null) }
    waits.add(waiting)
    const answered = process.service!.app.inject({
      method,
      url: path,
      headers: { ...(payload !== undefined && { 'content-type': type }), ...headers },
      ...(payload !== undefined && { payload }),
    })
    try {
      const response = await Promise.race([answered, process.died, impatience.promise])
      if (response === null) return null
      const told = {
        status: response.statusCode,
        text: response.payload,
        headers: response.headers as Record<string, string>,
      }
      const heard = plant.answer?.(told) ?? told
      const is_json = String(heard.headers['content-type']).startsWith('application/json')
      return { ...heard, body: is_json && heard.text !== '' ? JSON.parse(heard.text) : null }
    } catch (error) {
      if (process.alive) throw error
      return null
    } finally {
      waits.delete(waiting)
      process.under_way -= 1
    }
  }

  function judge(name: string, { status, text, body }: Answer, was_faultless: boolean): void {
    const code = body?.error?.ripper_code ?? body?.error ?? body?.code
    const passes = status < 500 || (status === 503 && unavailable.has(code))
    if (!passes) violations.add('I0', `${name} was answered ${status} ${text.slice(0, 200)}`)
    if (code === 'store_unavailable' && was_faultless) {
      violations.add('I0', `${name}: the store is said to be unavailable, and it is not`)
    }
  }

  for (let each = 0; each < count; each++) start()
  return {
    ask,
    anyProcess,
    processes: () => up,
    stopOne,
    mayDoWithout: (owner) => up.some((each) => each === owner) && ready().some((each) => each !== owner),
    noteStall(process, duration_ms) {
      if (duration_ms < patience_ms) return
      const loseIt = () => {
        for (const each of waits) if (each.process === process) each.giveUp()
      }
      scheduler.spawn(clock.sleep(patience_ms).then(loseIt))
    },
    killAll() {
      changedDue()
      for (const process of [...leaving]) process.kill()
      leaving.clear()
      for (const process of [...up]) {
        process.kill()
        crashed(process)
      }
    },
    changedDue,
    close() {
      for (const process of up) scheduler.bury(process)
    },
    crashes: () => crashes,
    requests: () => requests,
    changesOfDue: () => changes,
  }
}

/** How long a client waits for an answer of a process that stands still. */
const patience_ms = 30_000

const unavailable = new Set(['store_unavailable', 'idempotency_store_unavailable', 'three_ds_provider_unavailable'])
