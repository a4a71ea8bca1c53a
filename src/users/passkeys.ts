// Passkeys and their rows: what a browser is asked for, and whether its answer is right. `@simplewebauthn/server`
// judges answers.

import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import type { Context } from '../context.ts'
import { rowValues } from '../database/driver/rows.ts'
import type { AnySql } from '../database/open.ts'
import { type ChallengePurpose, newChallenge, timeOfChallenge } from './challenges.ts'
import type { PageOrigin } from './page-origin.ts'

export type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
}

export type Passkey = {
  credential_id: string
  user_id: string
  public_key: Buffer
  counter: number
  transports: string[]
  is_backed_up: boolean
  name: string
  created_at: Date
  used_at: Date | null
  challenged_at: Date
}

type Judge = Pick<Context, 'keyring' | 'world'>
type Ceremony = { page: PageOrigin; purpose: ChallengePurpose }

/** Loaded when the first person needs it: a service without people starts without it. */
const judge = () => import('@simplewebauthn/server')

const options = { userVerification: 'required' } as const

/** What the browser needs to make a passkey for this person. */
export async function askForPasskey(
  { keyring, world }: Judge,
  { page, purpose }: Ceremony,
  person: { user_id: string; email: string; name: string; credential_ids: string[] },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const { generateRegistrationOptions } = await judge()
  return generateRegistrationOptions({
    rpName: 'Ripper Checkout',
    rpID: page.rp_id,
    userID: new Uint8Array(Buffer.from(person.user_id)),
    userName: person.email,
    userDisplayName: person.name,
    challenge: newChallenge(keyring, world, purpose),
    attestationType: 'none',
    authenticatorSelection: { ...options, residentKey: 'required' },
    excludeCredentials: person.credential_ids.map((id) => ({ id })),
  })
}

/** The passkey that a browser made; null if anything about it is wrong. */
export async function judgeNewPasskey(
  { keyring, world }: Judge,
  { page, purpose }: Ceremony,
  response: RegistrationResponseJSON,
): Promise<Omit<Passkey, 'user_id' | 'name'> | null> {
  const { verifyRegistrationResponse } = await judge()
  const now = world.clock.now()
  const challenge = challengeOf(keyring, { purpose, now })
  try {
    const { verified, registrationInfo: info } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge.isOurs,
      expectedOrigin: page.origin,
      expectedRPID: page.rp_id,
    })
    if (!verified || !info || challenge.madeAt() === null) return null
    const { id, publicKey, counter, transports } = info.credential
    return {
      credential_id: id,
      public_key: Buffer.from(publicKey),
      counter,
      transports: knownTransports(transports),
      is_backed_up: info.credentialBackedUp,
      created_at: now,
      used_at: null,
      // Older than any challenge for its use.
      challenged_at: new Date(0),
    }
  } catch {
    // The library throws for each thing that can be wrong with an answer.
    return null
  }
}

/** What the browser needs to use a passkey: any that it has, or one of those named. */
export async function askToUsePasskey(
  { keyring, world }: Judge,
  { page, purpose }: Ceremony,
  credential_ids: string[] = [],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await judge()
  return generateAuthenticationOptions({
    ...options,
    rpID: page.rp_id,
    challenge: newChallenge(keyring, world, purpose),
    allowCredentials: credential_ids.map((id) => ({ id })),
  })
}

/** The new state of the passkey's row after its use; null if the answer is wrong. */
export async function judgePasskeyUse(
  { keyring, world }: Judge,
  { page, purpose }: Ceremony,
  { passkey, response }: { passkey: Passkey; response: AuthenticationResponseJSON },
): Promise<Pick<Passkey, 'counter' | 'is_backed_up' | 'challenged_at'> | null> {
  const { verifyAuthenticationResponse } = await judge()
  const now = world.clock.now()
  const challenge = challengeOf(keyring, { purpose, now })
  try {
    const { verified, authenticationInfo: info } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge.isOurs,
      expectedOrigin: page.origin,
      expectedRPID: page.rp_id,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(passkey.public_key),
        counter: passkey.counter,
        transports: passkey.transports as AuthenticatorTransport[],
      },
    })
    const challenged_at = challenge.madeAt()
    if (!verified || challenged_at === null) return null
    const { newCounter: counter, credentialBackedUp: is_backed_up } = info
    return { counter, is_backed_up, challenged_at }
  } catch {
    return null
  }
}

const transports_known = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal', 'cable']

/** A browser's list of transports is not signed. It only hints at how to reach the passkey. */
function knownTransports(transports: unknown): string[] {
  return Array.isArray(transports) ? transports_known.filter((each) => transports.includes(each)) : []
}

/**
 * Judges the challenge in an answer, and keeps the time at which it was made; null until then, and for a challenge that
 * is not ours.
 */
function challengeOf(keyring: Judge['keyring'], ceremony: { purpose: ChallengePurpose; now: Date }) {
  let made_at: Date | null = null
  return {
    isOurs: (challenge: string) => {
      made_at = timeOfChallenge(keyring, challenge, ceremony)
      return made_at !== null
    },
    madeAt: () => made_at,
  }
}

/** Throws a unique violation if the passkey is known. */
export async function insertPasskey(sql: AnySql, passkey: Passkey): Promise<void> {
  await sql`insert into passkeys ${rowValues(sql, passkey)}`
}

/** The passkey of a person who may sign in. */
export async function findPasskey(sql: AnySql, credential_id: string): Promise<Passkey | undefined> {
  const [row] = await sql<Passkey[]>`
    select p.* from passkeys p join users u using (user_id)
    where p.credential_id = ${credential_id} and u.disabled_at is null`
  return row
}

/** Oldest first. */
export async function listPasskeys(sql: AnySql, user_id: string): Promise<Passkey[]> {
  return sql<Passkey[]>`
    select * from passkeys where user_id = ${user_id} order by created_at, credential_id`
}

/** Notes the use of a passkey; false if this challenge or a later one was answered before. */
export async function notePasskeyUse(
  sql: AnySql,
  credential_id: string,
  {
    counter,
    is_backed_up,
    challenged_at,
    at,
  }: Pick<Passkey, 'counter' | 'is_backed_up' | 'challenged_at'> & { at: Date },
): Promise<boolean> {
  const { count } = await sql`
    update passkeys set counter = ${counter}, is_backed_up = ${is_backed_up},
      challenged_at = ${challenged_at}, used_at = ${at}
    where credential_id = ${credential_id} and challenged_at < ${challenged_at}`
  return count > 0
}

export async function deletePasskey(
  sql: AnySql,
  { credential_id, user_id }: Pick<Passkey, 'credential_id' | 'user_id'>,
): Promise<boolean> {
  const { count } = await sql`
    delete from passkeys where credential_id = ${credential_id} and user_id = ${user_id}`
  return count > 0
}

export async function deletePasskeys(sql: AnySql, user_id: string): Promise<void> {
  await sql`delete from passkeys where user_id = ${user_id}`
}
