// An orderly stop: what is in flight is answered, what comes after is not taken.

import { expect, test } from 'vitest'
import { drivenClock, driving, startService } from './service.ts'

test('a charge under way is answered before the service stops', async () => {
  const clock = drivenClock()
  const service = await startService({ clock })
  const { client, base_url } = service
  const session = await client.open()
  await client.present(session, '4000009190780000') // approves after 8 s
  const confirming = client.confirm(session)
  await clock.pause()
  const stopping = service.close()
  await expect(fetch(`${base_url}/healthz`)).rejects.toThrow()
  const { body } = await driving(clock, confirming)
  expect(body).toMatchObject({ status: 'captured' })
  await stopping
})
