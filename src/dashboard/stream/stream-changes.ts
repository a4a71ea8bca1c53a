// GET /dashboard/api/stream: what changed at the merchants of a person, and nothing more: the page reads again what it shows.

import { z } from 'zod'
import type { Context } from '../../context.ts'
import { type Feed, type StreamMessage, stream } from '../../http/stream.ts'
import { listMembershipsOf } from '../../users/member.ts'
import { hasSecondFactor } from '../../users/session.ts'
import { signedInPerson } from '../../users/signed-in.ts'
import { listLinesOf, type SubjectLine } from '../../webhooks/stream/event-line-store.ts'
import { follow, markAllSent, nextRead, openTrail, skipLines, type Trail } from '../../webhooks/stream/trail.ts'
import { changedKinds, kindsOf } from './changed.ts'

/** One browser takes one. */
const seats_max = 3
/** What this process did not hear of at once is found within this time. */
const poll_ms = 2_000
/** Each costs a statement now and then. */
const merchants_max = 20

export const streamChanges = stream({
  method: 'GET',
  path: '/dashboard/api/stream',
  tag: 'Dashboard',
  summary: 'Listen to changes',
  access: signedInPerson({ shows_merchants: true }),
  dialect: 'dashboard',
  seats: ({ user_id }) => ({ owner: `user:${user_id}`, max: seats_max }),
  query: z.strictObject({}),
  messages: {
    ready: z.object({ merchants: z.array(z.string()) }),
    changed: z.object({ merchant_id: z.string(), kind: z.enum(changedKinds), id: z.string() }),
  },
  refusals: [],
  open: async (context: Context, { holder, now }): Promise<Feed> => {
    const memberships = await listMembershipsOf(context.sql, holder.user_id)
    // As at the routes of a live merchant.
    const seen = memberships.filter(({ is_live }) => !is_live || hasSecondFactor(holder.session))
    const merchants = seen.slice(0, merchants_max).map(({ merchant_id }) => merchant_id)
    return openFeed(context, merchants, now)
  },
})

type Followed = { merchant_id: string; trail: Trail }

async function openFeed({ sql, world, hearEvents }: Context, merchants: string[], now: Date): Promise<Feed> {
  const nowMs = () => world.clock.now().getTime()
  const followed: Followed[] = merchants.map((merchant_id) => {
    return { merchant_id, trail: openTrail(now.getTime(), null).trail }
  })
  async function readOn({ merchant_id, trail }: Followed) {
    const read = nextRead(trail, nowMs())
    const asked = { merchant_id, ranges: read.ranges }
    // Most lines are about sessions and attempts, which no page shows as they come.
    const shown = sql`type <> 'session.created' and type not like 'attempt.%'`
    const found = await listLinesOf(sql, asked, shown)
    const is_cut = found.some(({ cut_at }) => cut_at !== null)
    return { lines: follow(trail, read, found), is_cut }
  }
  for (const each of followed) {
    let is_cut = true
    while (is_cut) {
      const read = await readOn(each)
      skipLines(each.trail, read.lines)
      is_cut = read.is_cut
    }
  }
  return {
    ready: { event: 'ready', data: { merchants } },
    poll_ms,
    hear(wake) {
      const ends = merchants.map((merchant_id) => hearEvents(merchant_id, wake))
      return () => {
        for (const end of ends) end()
      }
    },
    async read() {
      const messages: StreamMessage[] = []
      let is_more = false
      for (const each of followed) {
        const { lines, is_cut } = await readOn(each)
        skipLines(each.trail, lines)
        markAllSent(each.trail, nowMs())
        messages.push(...lines.flatMap((line) => messagesOf(each.merchant_id, line)))
        is_more ||= is_cut
      }
      return { messages, is_more }
    },
  }
}

function messagesOf(merchant_id: string, { type, payment_id: id }: SubjectLine): StreamMessage[] {
  return kindsOf(type).map((kind) => ({ event: 'changed', data: { merchant_id, kind, id } }))
}
