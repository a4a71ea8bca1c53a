// The card fields' frame: draws them, finds the checkout around it, and carries messages between the two.

import { applyAppearance, followAppearance } from '../shared/appearance.ts'
import { readContext } from '../shared/element.ts'
import { followLook } from '../shared/look.ts'
import type { Appearance, FromFrame } from '../shared/protocol.ts'
import type { Words } from '../shared/words.ts'
import { cardForm } from './card-form.ts'
import { drawFields } from './fields.ts'
import { awaitHello } from './handshake.ts'
import { brandNames } from './marks.ts'
import { readMessage } from './messages.ts'
import { methodFrame } from './method-frame.ts'
import { cardReferences } from './references.ts'

/** `origins`: the origins whose pages may take payments with these fields. */
type Context = {
  origins: string[]
  brands: string[]
  words: Words
  locale: string
  appearance: Appearance | null
  receipts_sent: boolean
}

const { origins, brands, locale, appearance, ...context } = readContext<Context>()
const words: Words = {
  ...context.words,
  ...brandNames,
  ...(context.receipts_sent && { email_hint: context.words.email_hint_receipt! }),
}
const sheet = document.querySelector('style')!.textContent!
let wanted = appearance
const page = document.documentElement
const root = document.getElementById('fields')!
let port: MessagePort | null = null
let height_px = 0
const warned = new Set<string>()

followAppearance(page, () => wanted, warnOnce)
const form = cardForm(drawFields(root, words, brands), {
  words,
  brands,
  references: cardReferences({
    fetch: (...request) => fetch(...request),
    now_ms: () => Date.now(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    openMethod: methodFrame(),
  }),
  send,
  now: () => new Date(),
})

awaitHello(origins, (opened) => {
  port = opened
  followLook(page, (style) => send({ type: 'look', style }))
  send({ type: 'ready', words, locale, appearance, sheet })
  tellHeight()
  form.connected()
  opened.onmessage = ({ data }) => {
    const message = readMessage(data)
    if (message?.type === 'appearance') {
      wanted = message.appearance
      applyAppearance(page, wanted, warnOnce)
    } else if (message) form.receive(message)
  }
})

new ResizeObserver(() => {
  height_px = Math.ceil(root.getBoundingClientRect().height)
  tellHeight()
}).observe(root)

/** The page around shares this frame's console. */
function warnOnce(text: string) {
  if (!warned.has(text)) console.warn(`Ripper: ${text}`)
  warned.add(text)
}

function tellHeight() {
  if (height_px > 0) send({ type: 'height', height_px })
}

function send(message: FromFrame) {
  port?.postMessage(message)
}
