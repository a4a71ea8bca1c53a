// A checkout from its mounting on: card fields and session side by side, then whatever the session's state asks for.

import { button } from '../shared/element.ts'
import { say } from '../shared/words.ts'
import type { CheckoutOptions } from './api.ts'
import { type Desk, keepState } from './desk.ts'
import { drawDropIn, drawForm } from './drop-in.ts'
import { RipperError } from './failure.ts'
import { type Heard, openFrame } from './frame.ts'
import { loadPart } from './part.ts'
import { recordedOf, refresh } from './resume.ts'
import { run } from './run.ts'
import type { Opened } from './session.ts'
import { sleep } from './sleep.ts'

const frame_ms = 6000
/** The part counts the last two minutes. Without it the service still refuses what comes too late. */
const countdown_ms = 120_000

type Asked = {
  publicKey: string
  options: CheckoutOptions
  openSession: () => Promise<Opened>
  emit: Desk['emit']
  signal: AbortSignal
  /** Begins anew, after what did not load. */
  again: () => void
}

/** `usable` rejects with the RipperError of a checkout that could not be shown. */
export function openDesk(asked: Asked): { desk: Desk; usable: Promise<void> } {
  const { options, emit, signal } = asked
  let greeted = () => {}
  const ready = new Promise<void>((resolve) => {
    greeted = resolve
  })
  const frame = openFrame(framePath(asked), signal, (message) => hear(desk, message, greeted))
  const desk = {
    options,
    frame,
    ui: drawDropIn(frame.element),
    signal,
    emit,
    words: firstWords,
    stage: 'loading',
  } as unknown as Desk

  const shown = Promise.all([asked.openSession(), ready]).then(([opened]) => start(desk, opened))
  const late = sleep(frame_ms).then(() => {
    if (desk.words === firstWords) throw frameNotLoaded()
    return shown
  })
  const usable = Promise.race([shown, late])
  usable.catch((error) => signal.aborted || fail(desk, error, asked.again))
  return { desk, usable }
}

/** Until the frame brings those of the shopper's language. */
const firstWords = {
  load_failed: 'The payment form could not be loaded.',
  unavailable: 'This checkout is not available',
  try_again: 'Try again',
}

function framePath({ publicKey, options }: Asked): string {
  const query = new URLSearchParams()
  if ('integration' in options && options.integration) query.set('integration', options.integration)
  if (options.locale && options.locale !== 'auto') query.set('locale', options.locale)
  return `/card-fields/${publicKey}?${query}`
}

function hear(desk: Desk, message: Heard, greeted: () => void): void {
  switch (message.type) {
    case 'ready':
      desk.words = message.words
      desk.locale = message.locale
      if (desk.options.appearance) {
        desk.frame.send({ type: 'appearance', appearance: desk.options.appearance })
      }
      // After it was moved, the frame must be told again.
      if (desk.session) sendSession(desk)
      greeted()
      break
    case 'look':
      desk.ui.host.style.cssText = message.style
      break
    case 'height':
      desk.frame.element.style.height = `${message.height_px}px`
      break
    case 'enter':
      if (desk.options.button !== false) press(desk)
      break
    default: {
      const { type, ...event } = message
      // Whoever begins to type will pay.
      if (type === 'focus') loadPart(desk).catch(() => {})
      desk.emit(type, event as never)
    }
  }
}

/** An error is shown where the shopper pays; nobody else is waiting for it. */
function press(desk: Desk): void {
  run(desk, (part) => part.pay(desk)).catch(() => {})
}

function sendSession({ frame, session, state }: Desk): void {
  const { id: session_id, client_secret } = session
  frame.send({ type: 'session', session_id, client_secret, mode: state.session.mode })
}

async function start(desk: Desk, { session, state }: Opened): Promise<void> {
  const { signal } = desk
  const { three_ds } = state
  desk.session = session
  keepState(desk, state)
  const recorded = recordedOf(desk)
  const part = recorded && (await loadPart(desk))
  if (signal.aborted) return
  sendSession(desk)
  drawForm(desk, () => press(desk))
  desk.stage = 'form'
  desk.emit('ready', { ...state.session, session_id: session.id })
  if (part) part.settle(desk, recorded, true)
  else if (three_ds && three_ds.state !== 'not_started') {
    run(desk, (part) => part.goOn(desk, three_ds)).catch(() => {})
  }
  const again = () => document.hidden || refresh(desk).catch(() => {})
  document.addEventListener('visibilitychange', again, { signal })
  addEventListener('pageshow', ({ persisted }) => persisted && again(), { signal })
  sleep(desk.deadline_ms - performance.now() - countdown_ms)
    .then(() => loadPart(desk))
    .then((part) => part.countDown(desk))
    .catch(() => {})
}

function fail(desk: Desk, error: RipperError, again: () => void): void {
  const { ui, words } = desk
  const lost = /network|loaded/.test(error.code)
  ui.root.className = 'failed'
  ui.status.textContent = ''
  ui.alert.replaceChildren(
    say(words, lost ? 'load_failed' : 'unavailable'),
    button({}, say(words, 'try_again'), again),
  )
  desk.emit('loaderror', error)
  console.error(error)
}

function frameNotLoaded(): RipperError {
  return new RipperError(
    'frame_not_loaded',
    `The card fields did not load. Is ${location.origin} among the allowed origins of the integration?`,
  )
}
