// One payment: email, card reference, authentication, the bank's check, charge.

import type { ConfirmResult } from '../checkout/api.ts'
import type { RipperError } from '../checkout/failure.ts'
import { type PayableCheckout, readState, resultOf, text } from '../checkout/mounted-checkout.ts'
import { sleep } from '../checkout/sleep.ts'
import { readItem, saveItem } from '../checkout/tab-storage.ts'
import type { State, ThreeDs } from '../checkout/wire.ts'
import { isEmail } from '../shared/email.ts'
import { browserFacts, windowSize } from './browser.ts'
import { passes } from './challenge.ts'
import { recordedOf } from './settle.ts'
import { markUnderWay } from './under-way.ts'

const poll_ms = 1000
/** The service asks the bank again if its first request has not ended after 45 s. */
const polls_max = 60

/** `given` is the email from the page. Throws refusals. */
export async function pay(checkout: PayableCheckout, given?: string): Promise<ConfirmResult> {
  const { frame, signal, session, ui } = checkout
  if (signal.aborted) return resultOf(checkout, 'canceled')
  const email = readEmail(checkout, given)
  // All faults show at once. The first field with a fault gets the focus.
  const card_reference = await frame.submit(email === null)
  if (signal.aborted) return resultOf(checkout, 'canceled')
  if (email === null || !card_reference) return resultOf(checkout, 'invalid')
  ui.status.textContent = text(checkout, 'checking')
  markUnderWay(checkout, true)
  try {
    const { attempt, three_ds, attempts_left } = await session.ask<AuthenticatedState>(
      'authenticate',
      { card_reference, browser: browserFacts(), challenge_window_size: windowSize() },
      checkout.locale,
    )
    checkout.state.session.attempts_left = attempts_left
    return await finish(checkout, { attempt, three_ds, email, resumed: false })
  } catch (error) {
    // The reference was too old, and the fields would give it again. With a newly typed code they make another.
    if (/card_reference/.test((error as Error).message)) frame.send({ type: 'clear_code' })
    throw error
  }
}

/** Resumes an attempt that a reload interrupted: the bank's answer, its check, then the charge. */
export async function goOn(checkout: PayableCheckout): Promise<ConfirmResult> {
  for (let polls = 0; polls < polls_max && !checkout.signal.aborted; polls++) {
    if (checkout.state.three_ds?.state !== 'not_started') break
    await sleep(poll_ms)
    if (!checkout.signal.aborted) await readState(checkout)
  }
  const email = readItem(checkout.session.place) ?? ''
  return finish(checkout, { ...checkout.state, email, resumed: true })
}

/** Empty if the session has an email; null if the shopper must correct it. */
function readEmail(checkout: PayableCheckout, given?: string): string | null {
  if (!given) return checkout.email ? checkout.email.read() : ''
  if (!isEmail(given)) {
    if (checkout.email) return checkout.email.complain('email_wrong')
    checkout.ui.alert.textContent = text(checkout, 'email_wrong')
    return null
  }
  saveItem(checkout.session.place, given)
  return given
}

type AuthenticatedState = Pick<State, 'attempt'> & { three_ds: ThreeDs; attempts_left: number }
type AuthenticationState = Pick<State, 'attempt' | 'three_ds'> & { email: string; resumed: boolean }

/**
 * Goes from the bank's first answer to the outcome: its check as often as needed, then the charge. Without a bank's answer the service
 * says what is wrong. The service charges only the newest attempt. If that belongs to another window, this one only waits.
 */
async function finish(
  checkout: PayableCheckout,
  { attempt, three_ds, email, resumed }: AuthenticationState,
): Promise<ConfirmResult> {
  for (let at = three_ds; ; ) {
    checkout.ui.info.textContent = at?.cardholder_info ?? ''
    const left = at?.challenge && !(await passes(checkout, at.challenge, { attempt_id: attempt!.id, resumed }))
    if (left && !checkout.state.session.attempts_left && !checkout.signal.aborted) {
      // So that the shop can begin a new checkout. An attempt that is not the last one stays open until another replaces it.
      return checkout.session.ask('confirm', { abandon: attempt!.id })
    }
    if (left || checkout.signal.aborted) return resultOf(checkout, 'canceled')
    if (at?.challenge && isNewer(checkout, attempt)) break
    try {
      return await checkout.session.ask('confirm', email ? { customer: { email } } : {})
    } catch (error) {
      if (!(error as RipperError).three_ds) throw error
      at = (await readState(checkout)).three_ds
      if (isNewer(checkout, attempt)) break
    }
  }
  const recorded = recordedOf(checkout)
  checkout.elsewhere = !recorded
  return recorded ?? resultOf(checkout, 'processing')
}

function isNewer({ state }: PayableCheckout, attempt: State['attempt']): boolean {
  return state.attempt?.id !== attempt?.id
}
