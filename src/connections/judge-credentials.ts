// Judges a credentials file by its connector's schema, and the address that it may name instead of the vendor's own.

import type { ConnectionMode } from '../kernel/connection-mode.ts'
import { Refusal } from '../kernel/errors.ts'
import type { Fault } from '../kernel/field-rules.ts'
import type { Credentials } from './connection.ts'
import type { KnownConnector } from './connectors.ts'
import { environmentFault } from './environment.ts'

/** Says why a URL may not be called, as the end of a sentence that begins with the member's name; null if it may. */
export type JudgeApiUrl = (url: string) => Promise<string | null>

/** The credentials to store. Throws `invalid_request` that names the member and repeats no value. */
export async function judgeCredentials(
  connector: Pick<KnownConnector, 'name' | 'credentials' | 'isOfSandbox' | 'environmentAt'>,
  { file, mode }: { file: unknown; mode: ConnectionMode },
  judgeApiUrl: JudgeApiUrl,
): Promise<Credentials> {
  const { name, credentials } = connector
  const result = credentials.safeParse(file)
  if (!result.success) {
    const issue: Issue = result.error.issues[0]!
    const [member = issue.keys?.[0]] = issue.path
    throw refused(faultWords(name, issue), { member: member === undefined ? null : String(member) })
  }
  const validCredentials = result.data as Credentials
  const wrong = environmentFault(connector, validCredentials, mode)
  if (wrong !== null) {
    throw refused(wrong.words, { member: wrong.member, fault: 'other_environment' })
  }
  const { api_url } = validCredentials
  if (typeof api_url !== 'string') return validCredentials
  const fault = api_url.includes('?') ? 'must not have a query' : await judgeApiUrl(api_url)
  if (fault !== null) throw refused(`api_url ${fault}`, { member: 'api_url', fault: 'web_address' })
  return { ...validCredentials, api_url: api_url.replace(/\/+$/, '') }
}

type Issue = { code: string; path: PropertyKey[]; message: string; keys?: string[] }

function faultWords(connector: string, { code, path, message, keys }: Issue): string {
  if (code === 'unrecognized_keys') {
    return `${keys!.join(', ')}: the credentials of ${connector} have no such member`
  }
  if (path.length === 0) return `the credentials of ${connector} are a JSON object`
  return `${path.join('.')} ${message}`
}

function refused(words: string, { member, fault }: { member: string | null; fault?: Fault }) {
  const field = member === null ? 'credentials' : `credentials.${member}`
  return new Refusal('invalid_request', `Credentials: ${words}.`, { field, fault })
}
