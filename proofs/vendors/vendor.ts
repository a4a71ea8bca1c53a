// A fake vendor as proofs use it, with or without a server: how it is called, what is in its books, and what it posts.

import type { NoticePost } from '../../src/acquirers/acquirer.ts'
import { shortReference } from '../../src/acquirers/reference.ts'
import type { Clock } from '../../src/kernel/world.ts'
import { makeAdyen } from '../../tests/adapters/fakes/adyen/server.ts'
import { makeCheckout } from '../../tests/adapters/fakes/checkout/server.ts'
import type { ReplyTo } from '../../tests/adapters/fakes/listen.ts'
import { makeStripe } from '../../tests/adapters/fakes/stripe/server.ts'
import { type BookedCharge, chargesAtAdyen, chargesAtCheckout, chargesAtStripe } from './history.ts'
import type { NamedPost, Portal, PortalAct } from './portal.ts'
import { portalAtAdyen } from './portal-adyen.ts'
import { portalAtCheckout } from './portal-checkout.ts'
import { portalAtStripe } from './portal-stripe.ts'
import { type Twisting, type TwistRoom, twisting } from './twist.ts'

export const vendor_names = ['checkout', 'stripe', 'adyen'] as const
export type VendorName = (typeof vendor_names)[number]

export type Vendor = {
  name: VendorName
  reply: ReplyTo
  /** Where its API begins on its server. */
  base_path: string
  /** Of a connection, but for the address. */
  credentials: Record<string, string>
  charges(): BookedCharge[]
  /** When something was or will be carried out, or refused. */
  moments(): Date[]
  /** What it posts about all that happened by now, in its order. */
  posts(): NamedPost[]
  /** A charge that another system made over the same account, or that our books have lost. */
  addStranger(stranger: Stranger): void
  /** What a person does to a charge in its portal, or the vendor by itself. False where that cannot be done. */
  act: Portal['act']
  /** Of two charges under one reference, the one that this names, by reference, was asked for and the other was not. */
  standOn(ids: ReadonlyMap<string, string>): void
  /** Names of notices that it never posts. */
  untold: Set<string>
  /** Whether it keeps an error under a key. */
  keeps_errors: boolean
  twist: Twisting['twist']
  knows: Twisting['knows']
  /** What was wrong with requests. */
  wrong: string[]
}

export type Stranger = {
  /** Of 32 hex characters, as ours. */
  reference: string
  /** The mark of an installation; null for none. */
  mark: string | null
  amount: number
  capture: boolean
}

type VendorOptions = { clock: Clock; settles_after_ms: number; ids_from?: number }

/** One kind of vendor; what is common to all is made around it. */
type Maker = Pick<Vendor, 'name' | 'reply' | 'base_path' | 'credentials' | 'posts' | 'wrong'> &
  Pick<Vendor, 'moments' | 'addStranger'> & {
    booked(): BookedCharge[]
    portal: Portal
    twists: TwistRoom
  }

export function makeVendor(name: VendorName, options: VendorOptions): Vendor {
  const { booked, portal, twists, ...made } = makers[name](options)
  const { reply, twist, knows } = twisting(made.reply, twists, options.clock)
  const charges = () => booked().map((charge) => withPortal(charge, portal))
  const vendor: Vendor = {
    ...made,
    reply,
    twist,
    knows,
    charges,
    act: portal.act,
    untold: new Set<string>(),
    standOn: (ids) => standOn(charges(), portal.unasked, ids),
    keeps_errors: twists.keepError !== null,
    moments: () => [...momentsOf(charges()), ...portal.moments, ...made.moments()],
    posts: () => [...made.posts(), ...portal.posts()],
  }
  return rememberingBooks(vendor, options.clock)
}

function standOn(charges: BookedCharge[], unasked: Set<string>, ids: ReadonlyMap<string, string>): void {
  for (const { id, reference } of charges) {
    if (!unasked.has(id) || ids.get(reference) !== id) continue
    unasked.delete(id)
    for (const other of charges) {
      if (other.reference === reference && other.id !== id) unasked.add(other.id)
    }
  }
}

function withPortal(charge: BookedCharge, { expired, unasked }: Portal): BookedCharge {
  const at = expired.get(charge.id)
  const is_unasked = unasked.has(charge.id)
  if (!at) return { ...charge, is_unasked }
  const { amount } = charge
  const lapse = { id: null, kind: 'expire', reference: null, amount, is_approved: true } as const
  const others = charge.acts.filter(({ kind }) => kind !== 'expire')
  return { ...charge, is_unasked, acts: [...others, { ...lapse, asked_at: at, known_at: at }] }
}

/** A notice is taken for five minutes after it was signed. */
const signed_for_ms = 60_000

/** Simulations read a vendor's books far more often than they write them. What was read is kept until a request may write. */
function rememberingBooks(vendor: Vendor, clock: Clock): Vendor {
  let charges: BookedCharge[] | null = null
  let moments: Date[] | null = null
  let posts: { all: NamedPost[]; told_at_ms: number; happened: number } | null = null
  const forget = () => {
    charges = null
    moments = null
    posts = null
  }
  return {
    ...vendor,
    charges() {
      charges ??= vendor.charges()
      return charges
    },
    moments() {
      moments ??= vendor.moments()
      return moments
    },
    posts() {
      const now_ms = clock.now().getTime()
      const happened = this.moments().filter((at) => at.getTime() <= now_ms).length
      if (posts?.happened !== happened || now_ms - posts.told_at_ms > signed_for_ms) {
        posts = { all: vendor.posts(), told_at_ms: now_ms, happened }
      }
      return posts.all
    },
    addStranger(stranger) {
      vendor.addStranger(stranger)
      forget()
    },
    standOn(ids) {
      vendor.standOn(ids)
      forget()
    },
    act(id: string, act: PortalAct) {
      forget()
      return vendor.act(id, act)
    },
    async reply(call) {
      if (onlyReads(call)) return vendor.reply(call)
      forget()
      try {
        return await vendor.reply(call)
      } finally {
        forget()
      }
    },
  }
}

/** Whether a request leaves the books as they are. */
export function onlyReads({ method, path }: { method: string; path: string }): boolean {
  return method === 'GET' || path.endsWith('/search')
}

const currency = 'GBP'
const number = '4242424242424242'

const makers: Record<VendorName, (options: VendorOptions) => Maker> = {
  checkout(options) {
    const fake = makeCheckout(options)
    const { reply, wrong, books, notices, secret_key, signature_key } = fake
    return {
      name: 'checkout',
      reply,
      wrong,
      base_path: '',
      credentials: { secret_key, signature_key },
      booked: () => chargesAtCheckout(books),
      portal: portalAtCheckout(fake, options.clock),
      twists: {
        keepError: null,
        refuseShift: books.refuseShift,
        refuseNewest(id) {
          Object.assign(books.find(id)!.actions.at(-1)!, {
            approved: false,
            response_code: '20005',
          })
        },
      },
      moments: () => [],
      posts: () => notices().map(named),
      addStranger({ reference, mark, amount, capture }) {
        const source = { type: 'card', number, expiry_month: 12, expiry_year: 2030 } as const
        const paid = { payment_type: 'Regular', merchant_initiated: false } as const
        const body = { source, amount, currency, capture, reference: shortReference(reference) }
        const metadata = metadataOf(mark)
        books.authorise({ ...body, ...paid, metadata, '3ds': { enabled: false } }, 'approve')
      },
    }
  },

  stripe(options) {
    const fake = makeStripe(options)
    const { reply, wrong, books, notices, secret_key, webhook_secret } = fake
    return {
      name: 'stripe',
      reply,
      wrong,
      base_path: '',
      credentials: { secret_key, webhook_secret },
      booked: () => chargesAtStripe(books),
      portal: portalAtStripe(fake, options.clock),
      twists: {
        keepError: () => fake.next('error_before_kept'),
        refuseShift: books.refuseShift,
        refuseNewest(id) {
          const refund = books.find(id)!.refunds.at(-1)
          if (refund) refund.failed = true
        },
      },
      moments: () => [],
      posts: () => notices().map(named),
      addStranger({ reference, mark, amount, capture }) {
        const method = books.keepMethod('approve', number.slice(-4))
        const metadata = { ...metadataOf(mark), ripper_reference: reference }
        const asked = { amount, currency: 'gbp', payment_method: method.id, metadata }
        const capture_method = capture ? ('automatic' as const) : ('manual' as const)
        const allowed_payment_method_types: ['card'] = ['card']
        books.confirm(books.create({ ...asked, capture_method, allowed_payment_method_types }, method))
      },
    }
  },

  adyen(options) {
    const vendor = makeAdyen(options)
    const { reply, wrong, books, api_key, merchant_account, hmac_key } = vendor
    return {
      name: 'adyen',
      reply,
      wrong,
      base_path: '/v72',
      credentials: { api_key, merchant_account, hmac_key },
      booked: () => chargesAtAdyen(books),
      portal: portalAtAdyen(vendor, options.clock),
      twists: {
        keepError: () => vendor.next('error_before'),
        refuseShift: books.refuseShift,
        refuseNewest(id) {
          const newest = books.modifications.findLast(({ payment }) => payment?.psp === id)
          if (newest) Object.assign(newest, { success: false, reason: 'Insufficient balance' })
        },
      },
      // It also refuses to cancel what it does not know.
      moments: () => books.modifications.map(({ due_at }) => due_at),
      posts: () => vendor.notices().map((post) => ({ ...post, name: post.body })),
      addStranger({ reference, mark, amount: value, capture }) {
        const amount = { value, currency }
        const method = { type: 'scheme', number, expiryMonth: '12', expiryYear: '2030' } as const
        const body = { merchantAccount: merchant_account, amount, reference, paymentMethod: method }
        const rest = {
          returnUrl: 'https://other.example/',
          shopperInteraction: 'Ecommerce',
        } as const
        const at_once = capture ? ({ captureDelayHours: 0 } as const) : {}
        const additionalData = { executeThreeD: 'false' } as const
        const metadata = metadataOf(mark)
        books.authorise({ ...body, ...rest, ...at_once, additionalData, metadata }, 'approve')
      },
    }
  },
}

function momentsOf(charges: BookedCharge[]): Date[] {
  return charges
    .flatMap(({ known_at, taken_at, acts }) => [...[known_at, taken_at], ...acts.map((act) => act.known_at)])
    .filter((at) => at !== null)
}

function named(post: NoticePost): NamedPost {
  return { ...post, name: (JSON.parse(post.body) as { id: string }).id }
}

function metadataOf(mark: string | null): Record<string, string> {
  return mark === null ? {} : { ripper_installation: mark }
}
