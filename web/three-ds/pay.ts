// One payment: email, card reference, authentication, the bank's check, charge.

import type { ConfirmResult } from '../checkout/api.ts'
import { type Desk, resultOf, text } from '../checkout/desk.ts'
import { isEmail } from '../checkout/email.ts'
import type { RipperError } from '../checkout/failure.ts'
import { keep, recall } from '../checkout/keep.ts'
import type { ThreeDs } from '../checkout/wire.ts'
import { browserFacts, windowSize } from './browser.ts'
import { passes } from './challenge.ts'

/** `given` is the email that the page hands over. Throws what was refused. */
export async function pay(desk: Desk, given?: string): Promise<ConfirmResult> {
  const email = readEmail(desk, given)
  if (email === null) return resultOf(desk, 'invalid')
  for (let first = true; ; first = false) {
    const card_reference = await desk.frame.submit()
    if (!card_reference) return resultOf(desk, 'invalid')
    desk.ui.status.textContent = text(desk, 'checking')
    try {
      const { three_ds } = await desk.session.ask<{ three_ds: ThreeDs }>('authenticate', {
        card_reference,
        browser: browserFacts(),
        challenge_window_size: windowSize(),
      })
      return await finish(desk, three_ds, email)
    } catch (error) {
      if (!/card_reference/.test((error as Error).message)) throw error
      // The reference was too old. What the fields still have is no better: with the code anew they make another.
      if (!first) {
        desk.frame.send({ type: 'clear_code' })
        throw error
      }
    }
  }
}

/** Takes up an attempt that a reload cut off: the bank's check, then the charge. */
export function goOn(desk: Desk, threeDs: ThreeDs): Promise<ConfirmResult> {
  return finish(desk, threeDs, recall(desk.session.place) ?? '')
}

/** Empty where the session has one; null where the shopper must mend it. */
function readEmail(desk: Desk, given?: string): string | null {
  if (!given) return desk.email ? desk.email.read() : ''
  if (!isEmail(given)) {
    desk.ui.alert.textContent = text(desk, 'email_wrong')
    return null
  }
  keep(desk.session.place, given)
  return given
}

/** From the bank's first answer to the outcome: its check as often as it takes, then the charge. */
async function finish(desk: Desk, threeDs: ThreeDs, email: string): Promise<ConfirmResult> {
  for (let at = threeDs; ; ) {
    desk.ui.info.textContent = at.cardholder_info
    if (at.challenge && !(await passes(desk, at.challenge))) return resultOf(desk, 'canceled')
    try {
      return await desk.session.ask('confirm', email ? { customer: { email } } : {})
    } catch (error) {
      const { three_ds } = error as RipperError
      if (!three_ds?.challenge) throw error
      at = three_ds
    }
  }
}
