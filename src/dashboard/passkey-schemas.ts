// What browsers and the service say to each other about passkeys, as the WebAuthn standard writes it in JSON.

import { z } from 'zod'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '../users/passkeys.ts'

/** `@simplewebauthn/server` judges what is in it. */
function credential<T>() {
  const isOne = (value: unknown) => {
    const { id, response } = (value ?? {}) as { id?: unknown; response?: unknown }
    return typeof id === 'string' && id.length <= 2048 && typeof response === 'object'
  }
  return z.custom<T>(isOne, 'must be what the browser gave for a passkey')
}

export const newPasskey = credential<RegistrationResponseJSON>()
export const usedPasskey = credential<AuthenticationResponseJSON>()

export const creationOptions = z.object({
  options: z.custom<PublicKeyCredentialCreationOptionsJSON>(),
})
export const requestOptions = z.object({
  options: z.custom<PublicKeyCredentialRequestOptionsJSON>(),
})
