// Vendors' notices where something fails: the process dies at one, it comes twice, or they come in another order.

import { describe, expect, test } from 'vitest'
import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { expectEnd, quick } from '../support/fault-table.ts'
import { driving, type Service, until } from '../support/service.ts'
import { useVendorStage } from '../support/vendor-stage.ts'
import { vendor_names } from '../support/vendors.ts'

const stages = await Promise.all(vendor_names.map(async (name) => [name, await useVendorStage(name)] as const))

describe.each(stages)('%s', (name, stage) => {
  const { clock, vendor, service, other, proxy, account, connection_id } = stage
  const { client } = account

  /** A charge whose answer was lost, and what the vendor then posts. */
  async function lose() {
    const before = vendor.charges().length
    const known = new Set(vendor.notices().map(({ body }) => body))
    const session = await client.open()
    await client.present(session, quick)
    const met = stage.meet({ request: /confirm$|^POST (\/v72)?\/payments$/ }, 'lost_after')
    await driving(clock, client.confirm(session))
    await met
    await clock.advance(25_000)
    const posts = vendor.notices().filter(({ body }) => !known.has(body))
    expect(posts.length).toBeGreaterThan(0)
    return { session_id: session.id, before, posts }
  }

  const send = (to: Service, { headers, body }: NoticePost) =>
    fetch(`${to.base_url}/acquirers/${connection_id}/notices`, { method: 'POST', headers, body })

  async function expectCaptured({ session_id, before }: Awaited<ReturnType<typeof lose>>) {
    await stage.run('handle_notices')
    await stage.run('reconcile')
    // Nothing but the notice is waited for: the next look of its own would be later.
    await expectEnd(stage, { session_id, before, end: 'captured' })
    await stage.rest(name === 'adyen')
  }

  const count = async () => {
    const [row] = await other.sql`select count(*)::int from acquirer_notices`
    return row!.count as number
  }

  test.each(['before', 'after'] as const)(
    'the process dies %s it has stored a notice: the vendor posts it again',
    async (when) => {
      const lost = await lose()
      const stored = await count()
      proxy.stopAt(connection_id, when)
      const [first] = lost.posts
      const dying = send(service, first!).then(
        ({ status }) => status,
        () => 0,
      )
      await until(async () => proxy.isStopped(), Boolean)
      await clock.advance(30_000)
      expect(await driving(clock, dying)).not.toBe(200)
      stage.calm()
      for (const post of lost.posts) expect((await send(other, post)).status).toBe(200)
      expect(await count()).toBe(stored + lost.posts.length)
      await expectCaptured(lost)
    },
  )

  test('a process stores it while its clock is days ahead: it counts now', async () => {
    const lost = await lose()
    for (const post of lost.posts) expect((await send(service, post)).status).toBe(200)
    const ahead = new Date(clock.now().getTime() + 6 * 24 * 3_600_000)
    await other.sql`
      update acquirer_notices set received_at = ${ahead}, next_try_at = ${ahead} where next_try_at is not null`
    await expectCaptured(lost)
  })

  test('each comes twice, to both processes, in another order', async () => {
    const lost = await lose()
    const stored = await count()
    for (const post of [...lost.posts.toReversed(), ...lost.posts]) {
      const both = await Promise.all([send(service, post), send(other, post)])
      expect(both.map(({ status }) => status)).toEqual([200, 200])
    }
    expect(await count()).toBe(stored + lost.posts.length)
    await expectCaptured(lost)
  })

  test('both processes handle them at once', async () => {
    const lost = await lose()
    for (const post of lost.posts) await send(other, post)
    await stage.run('handle_notices', [service, other])
    await expectCaptured(lost)
  })
})
