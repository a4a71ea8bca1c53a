// The headers of the Standard Webhooks convention, at endpoints that ask for them: verified as a receiver does, through retries and rotations.

import { createHmac } from 'node:crypto'
import { afterAll, describe, expect, test } from 'vitest'
import { rotateSecret } from '../../src/webhooks/endpoints/rotate-secret.ts'
import type { Json } from '../support/client.ts'
import { useService } from '../support/use-service.ts'
import { operatorOf } from '../support/webhook-events.ts'
import { openWebhookReceiver, type ReceivedEvent, type WebhookReceiver } from '../support/webhook-receiver.ts'

const service = await useService({ deliver: { schedule: [0] } })
const receivers: WebhookReceiver[] = []
afterAll(async () => {
  for (const receiver of receivers) await receiver.close()
})

async function openShop(asked: object) {
  const account = await service.newAccount()
  const receiver = await openWebhookReceiver()
  receivers.push(receiver)
  const { body: endpoint } = await account.client.createEndpoint({ url: receiver.url, ...asked })
  return { ...account, receiver, endpoint: endpoint as Json }
}

/** The places, from 0, of the signatures that this secret has made. */
function signedAt({ headers, body }: ReceivedEvent, secret: string): number[] {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  expect(key).toHaveLength(32)
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
  const expected = `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  return headers['webhook-signature']!.split(' ').flatMap((each, at) => (each === expected ? [at] : []))
}

describe.each(['ripper', 'stripe'])('told in the words of %s', (event_format) => {
  test('each try has the event id, its time, and a signature over both', async () => {
    const { receiver, endpoint, client } = await openShop({ standard_webhooks: true, event_format })
    expect(endpoint).toMatchObject({ standard_webhooks: true })
    receiver.treat(() => 500)
    await client.pay()
    const [first] = await receiver.has(1)
    for (const one of await receiver.has(2)) {
      expect(one.headers['webhook-id']).toBe(first!.event.id)
      expect(signedAt(one, endpoint.standard_signing_secret)).toEqual([0])
      const t = one.headers['webhook-timestamp']
      expect(one.headers['rip-signature']).toMatch(new RegExp(`^t=${t},v1=`))
    }
  })

  test('a rotation turns both secrets, and the old ones sign beside them', async () => {
    const { receiver, endpoint, client } = await openShop({ standard_webhooks: true, event_format })
    const writer = operatorOf(service.context)
    const rotated = await rotateSecret(service.context, endpoint.id, writer, new Date())
    expect(rotated.signing_secret).not.toBe(endpoint.signing_secret)
    expect(rotated.standard_signing_secret).not.toBe(endpoint.standard_signing_secret)
    expect(rotated.signing_secret.startsWith(event_format === 'stripe' ? 'whsec_' : 'rip_whsec_')).toBe(true)
    await client.pay()
    const [one] = await receiver.has(1)
    expect(signedAt(one!, rotated.standard_signing_secret!)).toEqual([0])
    expect(signedAt(one!, endpoint.standard_signing_secret)).toEqual([1])
    expect(one!.headers['rip-signature']!.match(/v1=/g)).toHaveLength(2)
  })

  test('without asking an endpoint has none of it', async () => {
    const { receiver, endpoint, client } = await openShop({ event_format, standard_webhooks: false })
    expect(Object.keys(endpoint).filter((name) => name.includes('standard'))).toEqual([])
    await client.pay()
    const [one] = await receiver.has(1)
    expect(Object.keys(one!.headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    const rotated = await rotateSecret(service.context, endpoint.id, operatorOf(service.context), new Date())
    expect(rotated).not.toHaveProperty('standard_signing_secret')
  })
})
