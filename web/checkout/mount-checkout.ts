// Opens a mounted checkout: it loads card fields and session at the same time, then does what the session's state needs.

import { button } from '../shared/element.ts'
import { directionOf, say, type Words } from '../shared/words.ts'
import type { CheckoutOptions } from './api.ts'
import { drawForm } from './draw-form.ts'
import { drawDropIn } from './drop-in.ts'
import { RipperError } from './failure.ts'
import { type FrameEvent, openFrame } from './frame.ts'
import { type MountedCheckout, type PayableCheckout, setState, text } from './mounted-checkout.ts'
import { loadPart, type ThreeDsPart } from './part.ts'
import { run } from './run.ts'
import type { SessionWithState } from './session.ts'
import { sleep } from './sleep.ts'

const frame_ms = 6000
/** The later part counts down the last two minutes. Without it the service still refuses late payments. */
const countdown_ms = 120_000

type MountOptions = {
  publicKey: string
  options: CheckoutOptions
  openSession: () => Promise<SessionWithState>
  emit: MountedCheckout['emit']
  signal: AbortSignal
  /** Starts again after something did not load. */
  again: () => void
}

type CheckoutMount = {
  mounted: MountedCheckout
  /** Null if unmount() came first. Rejects with the RipperError of a checkout that could not be shown. */
  usable(): Promise<PayableCheckout | null>
}

export function mountCheckout(asked: MountOptions): CheckoutMount {
  const { options, emit, signal } = asked
  let greeted = () => {}
  let refused = () => {}
  const ready = new Promise<void>((resolve) => {
    greeted = resolve
  })
  /** Shows an error to the shopper, because no caller waits for it. */
  const press = () => {
    if (options.button === false) return
    shown.then((checkout) => checkout && run(checkout, (part) => part.pay(checkout))).catch(() => {})
  }
  const frame = openFrame(framePath(asked), signal, (message) =>
    onFrameEvent(mounted, message, { greeted, refused, press }),
  )
  const mounted: MountedCheckout = {
    options,
    frame,
    ui: drawDropIn(frame.element),
    signal,
    again: asked.again,
    emit,
    words: firstWords,
    locale: '',
    stage: 'loading',
  }
  const shown = Promise.all([asked.openSession(), ready]).then(([opened]) => start(mounted, opened, press))
  const ended = new Promise<null>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(null))
    refused = () => reject(frameNotLoaded())
    setTimeout(() => mounted.words === firstWords && refused(), frame_ms)
  })
  const soon = Promise.race([shown, ended])
  soon.catch((error) => fail(mounted, error, asked.again))
  // A frame that loads late is still used.
  return { mounted, usable: () => (mounted.stage === 'loading' ? soon : shown) }
}

/** Words until the frame brings those of the shopper's language. */
const firstWords = {
  load_failed: 'The payment form could not be loaded.',
  unavailable: 'This checkout is not available',
  try_again: 'Try again',
}

function framePath({ publicKey, options }: MountOptions): string {
  const query = new URLSearchParams()
  if ('integration' in options && options.integration) query.set('integration', options.integration)
  if (options.locale && options.locale !== 'auto') query.set('locale', options.locale)
  // Such a page takes only frames that agree to it.
  if (window.crossOriginIsolated) query.set('isolated', '1')
  return `/card-fields/${publicKey}?${query}`
}

type FrameListener = { greeted(): void; refused(): void; press(): void }

function onFrameEvent(
  checkout: MountedCheckout,
  message: FrameEvent,
  { greeted, refused, press }: FrameListener,
): void {
  const { frame, ui, options } = checkout
  switch (message.type) {
    case 'ready':
      speak(checkout, message)
      frame.element.title = text(checkout, 'card_details')
      if (options.appearance) frame.send({ type: 'appearance', appearance: options.appearance })
      // A frame that was moved needs the message again.
      sendSession(checkout)
      greeted()
      break
    case 'refused':
      speak(checkout, message)
      refused()
      break
    case 'look':
      ui.host.style.cssText = message.style
      break
    case 'height':
      frame.element.style.height = `${message.height_px}px`
      break
    case 'enter':
      press()
      break
    case 'change': {
      const { brand, complete, empty } = message
      checkout.emit('change', { brand, complete, empty })
      break
    }
    default:
      // A shopper who begins to type will probably pay.
      loadPart(checkout).catch(() => {})
      checkout.emit(message.type, { field: message.field })
  }
}

/** Takes over what the frame brings, whether or not it can be used. */
function speak(checkout: MountedCheckout, { words, locale, sheet }: Brought): void {
  const { root, wear } = checkout.ui
  Object.assign(checkout, { words, locale })
  root.lang = locale
  root.dir = directionOf(locale)
  wear(sheet)
}

type Brought = { words: Words; locale: string; sheet: string }

function sendSession({ frame, session, state, running }: MountedCheckout): void {
  if (!session || !state) return
  const { id: session_id, client_secret } = session
  const { mode } = state.session
  frame.send({ type: 'session', session_id, client_secret, mode })
  // The open list of test cards makes the form some 1000 px high.
  if (mode === 'test') frame.send({ type: 'test_cards', open: innerHeight > 1000 && innerWidth > 600 })
  frame.send({ type: 'lock', locked: !!running })
}

async function start(
  mounted: MountedCheckout,
  { session, state }: SessionWithState,
  press: () => void,
): Promise<PayableCheckout | null> {
  const { signal } = mounted
  const { id: session_id, status, amount, currency, mode } = state.session
  if (signal.aborted) return null
  // What came into browsers together with all that we need.
  if (!AbortSignal.abort) throw new RipperError('browser_too_old', 'This browser is too old.')
  const begun = state.three_ds || status !== 'requires_payment'
  const part = begun ? await loadPart(mounted) : null
  if (signal.aborted) return null
  const checkout = setState(mounted, session, state)
  sendSession(checkout)
  drawForm(checkout, press)
  checkout.stage = 'form'
  checkout.emit('ready', { session_id, amount, currency, mode })
  if (part?.resume(checkout)) run(checkout, (part) => part.goOn(checkout)).catch(() => {})
  const withPart = (work: (part: ThreeDsPart) => unknown) =>
    signal.aborted ||
    loadPart(checkout)
      .then(work)
      .catch(() => {})
  const again = () => document.hidden || withPart((part) => part.refresh(checkout))
  document.addEventListener('visibilitychange', again, { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && again(), { signal })
  addEventListener('online', again, { signal })
  sleep(checkout.deadline_ms - performance.now() - countdown_ms).then(() =>
    withPart((part) => part.countDown(checkout)),
  )
  return checkout
}

function fail(checkout: MountedCheckout, error: RipperError, again: () => void): void {
  const { ui, words } = checkout
  const { code } = error
  const known = code in words ? code : 'unavailable'
  ui.root.className = 'failed'
  ui.status.textContent = ''
  ui.alert.replaceChildren(
    say(words, /network|loaded/.test(code) ? 'load_failed' : known),
    button({}, say(words, 'try_again'), again),
  )
  checkout.emit('loaderror', error)
  console.error(error)
}

function frameNotLoaded(): RipperError {
  return new RipperError(
    'frame_not_loaded',
    `The card fields did not load. Is the publishable key right? Is ${location.origin} an allowed origin of the integration? A page with COEP needs COOP, too.`,
  )
}
