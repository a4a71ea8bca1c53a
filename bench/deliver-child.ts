// A process of its own for a part of a benchmark: it gets its setting when it starts, answers each order, and ends when
// this process lets go of it, or ends.

import { fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export type Child<Order extends object> = {
  /** One order at a time. Throws where the process ended instead. */
  ask<Answer>(order: Order): Promise<Answer>
  stop(): Promise<void>
}

/** `program` stands in this folder. What it prints goes to `log`, a file. */
export async function startChild<Order extends object>(
  program: string,
  setting: object,
  log: string,
): Promise<Child<Order>> {
  const output = openSync(log, 'a', 0o600)
  const child = fork(
    fileURLToPath(new URL(program, import.meta.url)),
    [JSON.stringify(setting)],
    // As `npm start` runs the service; typed arrays come through as they are.
    {
      execArgv: ['--max-semi-space-size=16'],
      serialization: 'advanced',
      stdio: ['ignore', output, 'inherit', 'ipc'],
    },
  )
  closeSync(output)
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const nextMessage = async (): Promise<unknown> => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const fail = () => reject(new Error(`${program} ended`))
    child.once('message', resolve)
    child.once('exit', fail)
    return promise.finally(() => child.off('exit', fail))
  }
  await nextMessage()
  return {
    async ask<Answer>(order: Order) {
      const answer = nextMessage()
      child.send(order)
      return (await answer) as Answer
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** The other side: answers orders until whoever started this process lets go of it, perhaps in the middle of one. */
export function answerOrders<Order>(
  answer: (order: Order) => unknown,
  end: () => Promise<void> = async () => {},
): void {
  process.on('message', async (order: Order) => {
    const result = await answer(order)
    if (process.connected) process.send!(result ?? null)
  })
  process.on('disconnect', () => void end().finally(() => process.exit(0)))
  process.send!('ready')
}

/** The setting that startChild was given. */
export function settingOf<Setting>(): Setting {
  return JSON.parse(process.argv[2]!) as Setting
}

/** A clock that all processes of the machine share, in milliseconds. */
export function commonNow(): number {
  return performance.timeOrigin + performance.now()
}
