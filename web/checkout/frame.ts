// The card fields: an iframe of the service. The checkout greets it once it has loaded, and then uses the port that it sends.

import { element as make } from '../shared/element.ts'
import type { FromFrame, SubmitResult, ToFrame } from '../shared/protocol.ts'
import { RipperError } from './failure.ts'
import { origin } from './origin.ts'
import { random } from './random.ts'
import { sleep } from './sleep.ts'

/** The messages that are not answers. */
export type FrameEvent = Exclude<FromFrame, { type: 'submitted' }>

export type CardFrame = {
  element: HTMLIFrameElement
  /** Dropped while there is no port. */
  send(message: ToFrame): void
  /**
   * The card reference. Null if the shopper must correct a field, or if the fields are gone. `quiet` leaves the focus where it is.
   * Rejects with RipperError.
   */
  submit(quiet: boolean): Promise<string | null>
}

const answer_ms = 90_000

/** `autofill; shared-autofill`. Only Chromium's browsers want to be told, and warn of what they do not know. */
const autofill = (document as Featured).featurePolicy
  ?.features()
  .filter((name) => /autofill/.test(name))
  .join(';')

type Featured = { featurePolicy?: { features(): string[] } }

/** `signal` ends the listening. */
export function openFrame(path: string, signal: AbortSignal, hear: (message: FrameEvent) => void): CardFrame {
  const nonce = random()
  let port: MessagePort | undefined
  let count = 0
  let answer = (_: SubmitResult | null) => {}
  const lose = () => answer(null)
  const element = make('iframe', {
    src: origin + path,
    title: 'Card details',
    allow: autofill ?? null,
  })
  element.onload = () => element.contentWindow?.postMessage({ type: 'ripper:hello', nonce }, origin)

  function welcome({ source, origin: from, data, ports }: MessageEvent): void {
    if (source !== element.contentWindow || from !== origin) return
    if (data?.type === 'refused') hear(data)
    if (data?.type !== 'ripper:port' || data.nonce !== nonce || !ports[0]) return
    // A frame that was moved has loaded again, and gives no answer any more.
    lose()
    port = ports[0]
    port.onmessage = ({ data }: MessageEvent<FromFrame>) => {
      if (data.type !== 'submitted') hear(data)
      else if (data.id === count) answer(data)
    }
  }
  addEventListener('message', welcome, { signal })
  signal.addEventListener('abort', lose)

  const send = (message: ToFrame) => port?.postMessage(message)
  return {
    element,
    send,
    async submit(quiet) {
      const id = ++count
      send({ type: 'submit', id })
      const answered = await Promise.race([
        new Promise<SubmitResult | null>((resolve) => {
          answer = resolve
        }),
        sleep(answer_ms),
      ])
      if (answered === null) return null
      if (answered?.ok) return answered.card_reference
      if (answered && !answered.error) {
        // A frame may not take the focus by itself.
        if (!quiet) {
          element.focus()
          send({ type: 'focus', field: answered.faults[0]!.field })
        }
        return null
      }
      const { code, message, request_id } = answered?.error ?? {}
      throw new RipperError(code ?? 'network_error', message ?? 'No card reference came.', {
        request_id,
      })
    },
  }
}
