import { test, expect } from 'vitest'
import { drivenClock, startService, driving } from './service.ts'
test('x', async () => {
  const clock = drivenClock()
  const service = await startService({ clock })
  const { client } = service
  const session = await client.open()
  const reference = await client.reference(session, '4000009100090060')
  const p = client.authenticate(session, reference)
  await clock.sleepers(60_000)
  await clock.advance(10_000)
  const a = await driving(clock, p)
  console.log(a.status, a.text, JSON.stringify(service.log.filter(l => l.level !== 'info'), null, 1))
  await service.close()
})
