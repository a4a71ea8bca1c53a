// The pieces of work that loads are made of: a create, a read, a whole checkout.

import { type Client, closedLoad, type Work } from './load.ts'
import { browser, card, createMaker, createRequest, nextKey, readRequest, requestBytes } from './requests.ts'
import type { Started } from './service.ts'

type Keys = Pick<Started, 'secret_key'>

export function creating({ secret_key }: Keys): Work {
  const makers = new WeakMap<Client, ReturnType<typeof createMaker>>()
  return async (client) => {
    const make = makers.get(client) ?? createMaker(secret_key)
    makers.set(client, make)
    return (await client.send(make(nextKey()))).status === 201
  }
}

/** Reads these sessions in turn. */
export function reading({ secret_key }: Keys, session_ids: string[]): Work {
  const requests = session_ids.map((id) => readRequest(secret_key, `/v1/checkout/sessions/${id}`))
  return async (client, index) => (await client.send(requests[index % requests.length]!)).status === 200
}

/** Whole checkouts, and how many of them were answered that the money was taken. */
export type Till = { pay: Work; captured: number }

export function openTill({ secret_key }: Keys): Till {
  const till: Till = {
    captured: 0,
    pay: async (client) => {
      const paid = await payOnce(client, secret_key)
      if (paid) till.captured += 1
      return paid
    },
  }
  return till
}

/** Sessions for `reading`. */
export async function makeSessions(clients: Client[], { secret_key }: Keys, count = 1000): Promise<string[]> {
  const ids: string[] = []
  const make = createMaker(secret_key)
  await closedLoad(clients, { count }, async (client) => {
    const { status, body } = await client.send(Buffer.from(make(nextKey())))
    if (status === 201) ids.push((JSON.parse(body.toString()) as { id: string }).id)
    return status === 201
  })
  return ids
}

/** Create, card reference, authenticate, confirm, each a request. True when the confirm answered `captured`. */
async function payOnce(client: Client, secret_key: string): Promise<boolean> {
  const created = await client.send(createRequest(secret_key, nextKey()))
  if (created.status !== 201) return false
  const { id, client_secret } = JSON.parse(created.body.toString()) as {
    id: string
    client_secret: string
  }
  const post = async (step: string, body: object) => {
    const path = `/v1/checkout/sessions/${id}/${step}`
    const headers = { 'rip-client-secret': client_secret }
    const answer = await client.send(requestBytes({ method: 'POST', path, headers, body }))
    return JSON.parse(answer.body.toString()) as Record<string, unknown>
  }
  const { card_reference } = await post('card_references', card)
  await post('authenticate', { card_reference, browser })
  return (await post('confirm', {})).status === 'captured'
}
