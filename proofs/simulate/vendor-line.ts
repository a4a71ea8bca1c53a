// The line between a simulated process and its vendors: requests and answers get lost, come late, or arrive twice.

import {
  type Clock,
  OutgoingFailure,
  type VendorAnswer,
  type VendorHttp,
  type VendorRequest,
} from '../../src/kernel/world.ts'
import type { VendorCall, VendorReply } from '../../tests/adapters/fakes/listen.ts'
import { chargeOf, isCharge, kindOf, namesCard, type Twist } from '../vendors/twist.ts'
import { onlyReads, type Vendor } from '../vendors/vendor.ts'
import { referenceOf, verbOf } from '../vendors/verbs.ts'
import type { Bank } from './bank/bank.ts'
import type { Chance } from './chance.ts'
import { type Faults, move_faults } from './faults.ts'
import { onItsWay } from './on-its-way.ts'
import type { Owner, Scheduler } from './scheduler.ts'
import type { VendorPosts } from './vendor-posts.ts'

type Ends = {
  scheduler: Scheduler
  faults: Faults
  chance: Chance
  bank: Bank
  outside: Owner
  posts: VendorPosts
}

const origin = /^https:\/\/account-(\d+)\.vendor\.example$/

/** Where the API of the account with this number is. */
export function apiUrl(account: number, { base_path }: Pick<Vendor, 'base_path'>): string {
  return `https://account-${account}.vendor.example${base_path}`
}

/** A process: its clock, which may be wrong, and how it ends. */
type Sender = { owner: Owner; clock: Clock; die: () => never }

/** The vendors as one process reaches them. */
export function openVendorLine(ends: Ends, { owner, clock, die }: Sender): Pick<VendorHttp, 'send'> {
  const { scheduler, faults, chance, bank, outside, posts } = ends
  const there = scheduler.clockOf(outside)
  const here = scheduler.clockOf(owner)

  const act = ({ method, url, headers, body }: VendorRequest): Promise<VendorReply> => {
    const { pathname, search, origin: at } = new URL(url)
    const account = bank.accounts[Number(origin.exec(at)![1])]!
    const call = { method, path: pathname + search, headers, body: body ?? '' }
    // The vendor may take its time: it answers when it does, and nobody waits for that here.
    const begin = () => {
      twistSome(account, call)
      const answer = account.reply(call)
      if (onlyReads(call)) return { answer }
      posts.changed()
      return { answer: answer.finally(posts.changed) }
    }
    return scheduler.effect(outside, `the vendor gets ${method} ${pathname}`, begin).then(({ answer }) => answer)
  }

  /** Now and then the vendor makes something else of a request than it was asked, whenever it comes. */
  function twistSome(account: Vendor, call: VendorCall): void {
    if (account.knows(call)) return
    if (namesCard(call) && faults.happens('vendor: decides nothing')) {
      account.twist(call, 'undecided', there.now())
      return
    }
    if (isCharge(call) && faults.happens('vendor: shifts no liability')) {
      account.twist(call, 'unshifted', there.now())
      return
    }
    const kind = kindOf(call)
    if (kind === null) return
    const twist = twistOf(kind, account)
    if (twist === null) return
    const reference = account.charges().find(({ id }) => id === chargeOf(call))?.reference
    if (reference === undefined) return
    bank.touched.add(reference)
    if (twist === 'kept_error') bank.kept_errors.set(reference, (bank.kept_errors.get(reference) ?? 0) + 1)
    const until = new Date(there.now().getTime() + chance.pick(refuses_for_ms))
    account.twist(call, twist, until)
  }

  function twistOf(kind: NonNullable<ReturnType<typeof kindOf>>, account: Vendor): Twist | null {
    if (kind === 'reverse') return faults.happens('vendor: refuses to reverse') && 'refusal'
    const error = account.keeps_errors ? (['vendor: keeps an error'] as const) : []
    const part = kind === 'void' ? [] : (['vendor: carries out a part'] as const)
    const fate = faults.happens(...part, ...error)
    if (fate === null) return null
    return fate === 'vendor: keeps an error' ? 'kept_error' : 'part'
  }

  function leave(request: VendorRequest, name: string) {
    const is_move = verbOf(request) !== null
    return scheduler.effect(owner, name, () => {
      const chosen = is_move ? faults.happens(...move_faults) : faults.happens(...to_ask)
      if (chosen === 'acquirer: crash before') die()
      if (chosen === 'acquirer: not sent' || !isInTime(request, clock.now())) {
        return null
      }
      const reference = referenceOf(request)
      if (is_move) bank.calls.set(reference!, here.now().getTime())
      if (chosen === 'acquirer: crash after') {
        act(request).catch(() => {})
        die()
      }
      // What has left is on its way, though its process stands still from now on.
      const coming = chosen === 'acquirer: cannot be asked' ? Promise.resolve(unavailable) : travel(request, chosen)
      coming.catch(() => {})
      return { coming }
    })
  }

  function travel(request: VendorRequest, fate: string | null): Promise<VendorReply> {
    return onItsWay<VendorReply>(fate, {
      here,
      there,
      chance,
      act: () => act(request),
      broken: () => 'lost',
      failed: () => ({ status: 502, headers: {}, body: '<html>Bad gateway</html>' }),
      is_charge: verbOf(request) === 'authorise',
      noteDelay: (delay_ms) => void bank.delays.set(referenceOf(request)!, delay_ms),
    })
  }

  async function send(request: VendorRequest): Promise<VendorAnswer> {
    const name = `${verbOf(request) ?? 'look up'} ${new URL(request.url).pathname}`
    const left = await leave(request, name)
    if (!left) {
      throw new OutgoingFailure('not_sent', false, 'connection refused')
    }
    const over = new AbortController()
    const silence = here.sleep(request.timeout_ms, over.signal).then((): never => {
      throw new OutgoingFailure('unanswered', true, 'no answer in time')
    })
    silence.catch(() => {})
    try {
      const reply = await Promise.race([silence, left.coming])
      const status = reply === 'lost' ? reply : reply.status
      const heard = await scheduler.effect(owner, `${name} is answered ${status}`, () => reply)
      if (heard !== 'lost') return heard
      throw new OutgoingFailure('unanswered', false, 'the connection was lost')
    } finally {
      over.abort()
    }
  }

  return { send }
}

/** For good is longer than anybody looks. */
const refuses_for_ms = [3_600_000, 60 * 3_600_000, 400 * 24 * 3_600_000]

const unavailable: VendorReply = { status: 503, headers: {}, body: '' }

const to_ask = ['acquirer: cannot be asked'] as const

/** Nothing leaves a machine at another time. */
function isInTime({ sendable }: VendorRequest, now: Date): boolean {
  return !sendable || (sendable.from <= now && now <= sendable.until)
}
