// Listens to a stream of the service as a client of its own would, message by message.

import { readServerSentEvents } from '../../src/cli/service/stream.ts'
import type { Json } from './client.ts'
import { until } from './service.ts'

export type StreamMessage = { event: string; id: string | null; data: Json }

export type Listener = {
  /** All messages so far. */
  told: StreamMessage[]
  /** Those that are events or requests, not `ready`. */
  news(): StreamMessage[]
  /** Waits until so many news have come. */
  atLeast(count: number): Promise<StreamMessage[]>
  /** The last id that came, with a message or without. */
  place(): string | null
  /** Resolves when the service has ended the stream. */
  ended: Promise<void>
  hangUp(): void
}

type ListenOptions = { base_url: string; secret_key: string; path: string; last_id?: string | null }

/** Resolves when the stream is open and its first message is there. Throws what it is refused with. */
export async function listen({ base_url, secret_key, path, last_id }: ListenOptions): Promise<Listener> {
  const aborting = new AbortController()
  const answer = await fetch(base_url + path, {
    headers: { 'x-service-api-key': secret_key, ...(last_id && { 'last-event-id': last_id }) },
    signal: aborting.signal,
  })
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`)
  const told: StreamMessage[] = []
  let place: string | null = null
  const ended = follow(answer.body!, told, (id) => {
    place = id
  })
  const news = () => told.filter(({ event }) => event !== 'ready')
  await until(
    async () => told.length,
    (count) => count > 0,
  )
  return {
    told,
    news,
    ended,
    place: () => place,
    atLeast: (count) =>
      until(
        async () => news(),
        (come) => come.length >= count,
      ),
    hangUp: () => aborting.abort(),
  }
}

async function follow(
  body: AsyncIterable<Uint8Array>,
  told: StreamMessage[],
  noted: (id: string) => void,
): Promise<void> {
  try {
    for await (const { event, id, data } of readServerSentEvents(body, noted)) {
      told.push({ event, id, data: JSON.parse(data) })
    }
  } catch (error) {
    if ((error as Error).name !== 'AbortError') throw error
  }
}
