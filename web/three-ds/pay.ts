// One payment: email, card reference, authentication, the bank's check, charge.

import type { ConfirmResult } from '../checkout/api.ts'
import { type Desk, readState, resultOf, text } from '../checkout/desk.ts'
import type { RipperError } from '../checkout/failure.ts'
import { keep, recall } from '../checkout/keep.ts'
import { sleep } from '../checkout/sleep.ts'
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
export async function pay(desk: Desk, given?: string): Promise<ConfirmResult> {
  const { frame, signal, session, ui } = desk
  if (signal.aborted) return resultOf(desk, 'canceled')
  const email = readEmail(desk, given)
  // All faults show at once. The first field with a fault gets the focus.
  const card_reference = await frame.submit(email === null)
  if (signal.aborted) return resultOf(desk, 'canceled')
  if (email === null || !card_reference) return resultOf(desk, 'invalid')
  ui.status.textContent = text(desk, 'checking')
  markUnderWay(desk, true)
  try {
    const { attempt, three_ds } = await session.ask<Authenticated>(
      'authenticate',
      { card_reference, browser: browserFacts(), challenge_window_size: windowSize() },
      desk.locale,
    )
    return await finish(desk, { attempt, three_ds, email })
  } catch (error) {
    // The reference was too old, and the fields would give it again. With a newly typed code they make another.
    if (/card_reference/.test((error as Error).message)) frame.send({ type: 'clear_code' })
    throw error
  }
}

/** Resumes an attempt that a reload interrupted: the bank's answer, its check, then the charge. */
export async function goOn(desk: Desk): Promise<ConfirmResult> {
  for (let polls = 0; polls < polls_max && !desk.signal.aborted; polls++) {
    if (desk.state.three_ds?.state !== 'not_started') break
    await sleep(poll_ms)
    if (!desk.signal.aborted) await readState(desk)
  }
  return finish(desk, { ...desk.state, email: recall(desk.session.place) ?? '' })
}

/** Empty if the session has an email; null if the shopper must correct it. */
function readEmail(desk: Desk, given?: string): string | null {
  if (!given) return desk.email ? desk.email.read() : ''
  if (!isEmail(given)) {
    if (desk.email) return desk.email.complain('email_wrong')
    desk.ui.alert.textContent = text(desk, 'email_wrong')
    return null
  }
  keep(desk.session.place, given)
  return given
}

type Authenticated = Pick<State, 'attempt'> & { three_ds: ThreeDs }
type Begun = Pick<State, 'attempt' | 'three_ds'> & { email: string }

/**
 * Goes from the bank's first answer to the outcome: its check as often as needed, then the charge. Without a bank's answer the service
 * says what is wrong. The service charges only the newest attempt. If that belongs to another window, this one only waits.
 */
async function finish(desk: Desk, { attempt, three_ds, email }: Begun): Promise<ConfirmResult> {
  for (let at = three_ds; ; ) {
    desk.ui.info.textContent = at?.cardholder_info ?? ''
    const left = at?.challenge && !(await passes(desk, at.challenge, attempt!.id))
    if (left || desk.signal.aborted) return resultOf(desk, 'canceled')
    if (at?.challenge && isNewer(desk, attempt)) break
    try {
      return await desk.session.ask('confirm', email ? { customer: { email } } : {})
    } catch (error) {
      if (!(error as RipperError).three_ds) throw error
      at = (await readState(desk)).three_ds
      if (isNewer(desk, attempt)) break
    }
  }
  return recordedOf(desk) ?? resultOf(desk, 'processing')
}

function isNewer({ state }: Desk, attempt: State['attempt']): boolean {
  return state.attempt?.id !== attempt?.id
}
