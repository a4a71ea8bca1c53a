// The state of one mounted checkout, which its steps share.

import { formatAmount } from '../shared/money.ts'
import { say, type Words } from '../shared/words.ts'
import type { CheckoutEvents, CheckoutOptions, ConfirmResult } from './api.ts'
import type { DropIn } from './drop-in.ts'
import type { EmailField } from './email.ts'
import type { CardFrame } from './frame.ts'
import type { Session } from './session.ts'
import type { State } from './wire.ts'

/** The state from mounting on. */
export type MountedCheckout = {
  readonly options: CheckoutOptions
  readonly frame: CardFrame
  readonly ui: DropIn
  /** unmount() aborts it. From then on nothing is asked of the shopper and nothing is charged. */
  readonly signal: AbortSignal
  /** Starts again, as a reload would. */
  again(): void
  emit<Name extends keyof CheckoutEvents>(name: Name, event: CheckoutEvents[Name]): void
  words: Words
  locale: string
  /** The email field; only if the session has no email. */
  email?: EmailField | undefined
  stage: 'loading' | 'form' | 'processing' | 'over'
  /** The payment under way. A second click joins it. */
  running?: Promise<ConfirmResult> | undefined
  /** The answer of a checkout that is over or waits for its outcome. */
  result?: ConfirmResult | undefined
  /** The session's newest attempt is another window's. */
  elsewhere?: boolean
} & Partial<OpenedSession>

type OpenedSession = {
  session: Session
  /** The state as it was last read. */
  state: State
  /** When the session ends, by performance.now(). */
  deadline_ms: number
}

/** The state once there is a form to pay with. */
export type PayableCheckout = MountedCheckout & OpenedSession

export function text(checkout: MountedCheckout, key: string, values?: Record<string, string>): string {
  return say(checkout.words, key, values)
}

export function amountOf({ state, locale }: PayableCheckout): string {
  return formatAmount(state.session.amount, state.session.currency, locale)
}

/** Takes over a new session, or the state of a session that was read again. */
export function setState(checkout: MountedCheckout, session: Session, state: State): PayableCheckout {
  const deadline_ms = performance.now() + state.session.expires_in_seconds * 1000
  return Object.assign(checkout, { session, state, deadline_ms })
}

export async function readState(checkout: PayableCheckout): Promise<State> {
  const { session } = checkout
  return setState(checkout, session, await session.ask('state')).state
}

/** A result that does not come from the service. Without a session its id is empty. */
export function resultOf({ state }: MountedCheckout, status: ConfirmResult['status']): ConfirmResult {
  const { id = '', last_decline, attempts_left = 0, order_reference = null }: SessionFields = state?.session ?? {}
  return {
    status,
    session_id: id,
    payment_id: null,
    decline: (status === 'declined' && last_decline) || null,
    attempts_left,
    order_reference,
    confirmation_url: null,
    receipt: null,
  }
}

type SessionFields = Partial<State['session']>
