// Reads the messages of a checkout to the card fields. It accepts exactly the shapes of the protocol, and nothing long.

import type { Hello, ToFrame } from '../shared/protocol.ts'

const length_max = 8 * 1024

/** Null for anything that is not a message. */
export function readMessage(value: unknown): ToFrame | null {
  const message = plainObject(value)
  const type = message?.type
  if (!message || typeof type !== 'string' || !Object.keys(shapes).includes(type)) return null
  const shape = shapes[type as ToFrame['type']]
  const names = Object.keys(message).filter((name) => name !== 'type')
  const fits = names.length === Object.keys(shape).length && names.every((name) => shape[name]?.(message[name]))
  return fits ? (message as ToFrame) : null
}

export function readHello(value: unknown): Hello | null {
  const message = plainObject(value)
  const fits =
    message?.type === 'ripper:hello' &&
    Object.keys(message).length === 2 &&
    matches(/^[\x21-\x7e]{1,128}$/)(message.nonce)
  return fits ? (message as Hello) : null
}

type Check = (value: unknown) => boolean

const matches =
  (pattern: RegExp): Check =>
  (value) =>
    typeof value === 'string' && pattern.test(value)

const shapes: Record<ToFrame['type'], Record<string, Check>> = {
  session: {
    session_id: matches(/^\w{1,64}$/),
    client_secret: matches(/^[\x21-\x7e]{1,256}$/),
    mode: matches(/^(test|live)$/),
  },
  appearance: { appearance: (value) => plainObject(value) !== null },
  test_cards: { open: (value) => typeof value === 'boolean' },
  fill: { number: matches(/^\d{12,19}$/) },
  submit: { id: (value) => Number.isSafeInteger(value) },
  focus: { field: matches(/^(number|expiry|code|name)$/) },
  clear_code: {},
  lock: { locked: (value) => typeof value === 'boolean' },
}

// A value that JSON cannot express (a cycle, a BigInt, a Map) is not a message.
function plainObject(value: unknown): Record<string, unknown> | null {
  try {
    const text = JSON.stringify(value)
    return text[0] === '{' && text.length <= length_max ? JSON.parse(text) : null
  } catch {
    return null
  }
}
