// The loads of the growth benchmark: requests or work at a steady rate, each timed.

import type { Ground } from './growth-fill.ts'
import { type Answer, openLoad, type Work } from './load.ts'

/** Makes a round of a step; returns how long each took, in milliseconds. */
export type Step = { name: string; isControl?: boolean; round(ground: Ground): Promise<number[]> }

const clients_max = 128
/** Failed answers that are named. */
const shown_max = 3

/** A request with every arrival, timed from when it is sent: what the generator itself is late is not the service's. */
export function requests(
  ground: Ground,
  per_second: number,
  next: (index: number) => { request: Buffer; expected: number },
  look?: (answer: Answer) => void,
): Promise<number[]> {
  const times: number[] = []
  const work: Work = async (client, index) => {
    const { request, expected } = next(index)
    const started = performance.now()
    const answer = await client.send(request)
    times.push(performance.now() - started)
    look?.(answer)
    if (answer.status !== expected) throw new Error(`${answer.status} ${answer.body}`)
    return true
  }
  return loaded(ground, { per_second, seconds: ground.seconds }, work, times)
}

export async function loaded(
  { service }: Ground,
  length: { per_second: number; seconds: number },
  work: Work,
  times: number[],
): Promise<number[]> {
  const failures = new Set<string>()
  const attempt: Work = (client, index) =>
    work(client, index).catch((error: Error) => {
      if (failures.size < shown_max) failures.add(error.message.slice(0, 300))
      return false
    })
  const { failed } = await openLoad(service.base_url, { ...length, clients_max }, attempt)
  if (failed > 0) throw new Error(`${failed} requests failed: ${[...failures].join('; ')}`)
  return times
}
