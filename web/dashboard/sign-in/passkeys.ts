// Passkeys: the browser's own dialogs, and why it would not show them.

import { startAuthentication, startRegistration } from '@simplewebauthn/browser'
import type { Routes } from '../client/routes.ts'

/** The person closed the browser's dialog, or it timed out: nothing is wrong, and nothing was done. */
export class PasskeyTurnedDown extends Error {}

type NewPasskey = Routes['POST /me/passkeys']['body']['passkey']
type UsedPasskey = Routes['POST /sign-in/passkey']['body']['passkey']
export type NewPasskeyOptions = Routes['POST /me/passkeys/options']['reply']['options']
type UsedPasskeyOptions = Routes['POST /sign-in/passkey-options']['reply']['options']

export async function makePasskey(optionsJSON: NewPasskeyOptions): Promise<NewPasskey> {
  return startRegistration({ optionsJSON }).catch(explain)
}

export async function showPasskey(optionsJSON: UsedPasskeyOptions): Promise<UsedPasskey> {
  return startAuthentication({ optionsJSON }).catch(explain)
}

function explain(error: unknown): never {
  const { name } = (error as { cause?: Error }).cause ?? (error as Error)
  if (name === 'NotAllowedError' || name === 'AbortError') throw new PasskeyTurnedDown()
  throw error
}
