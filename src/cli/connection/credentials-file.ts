// Reads and judges the credentials that a command is given. They are never repeated, not even where they are no JSON.

import { readFileSync } from 'node:fs'
import { readConfig } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import type { Credentials } from '../../connections/connection.ts'
import { connectors } from '../../connections/connectors.ts'
import { membersWords } from '../../connections/credential-members.ts'
import { judgeCredentials } from '../../connections/judge-credentials.ts'
import type { KnownConnector } from '../../connections/known-connector.ts'
import type { ConnectionMode } from '../../merchants/account-connection.ts'
import { openEndpointUrlJudge } from '../../outgoing/judge-endpoint-url.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { text } from '../command-context.ts'
import { type OptionSpec, type Options, UsageError } from '../terminal/command.ts'

const networks_variable = settings.connection_allowed_networks.name

export const credentialsOption: OptionSpec = {
  value: 'FILE.json',
  required: true,
  meaning: "the vendor's credentials as a JSON object; - reads them from standard input",
}

/** Each connector's members, for help texts. */
export const members_words = [
  'Members of the file, those in brackets where they are needed:',
  ...membersWords(connectors).map((line) => `  ${line}`),
  `api_url replaces the vendor's own address: https, or one in ${networks_variable}, by http too.`,
].join('\n')

/** What `--credentials` names, as JSON. Throws a UsageError. */
export function readCredentialsFile(options: Options): unknown {
  const path = text(options, 'credentials')!
  const content = contentOf(path)
  try {
    return JSON.parse(content)
  } catch {
    // The parser's own words quote what it read.
    throw new UsageError('--credentials must name a file that holds JSON')
  }
}

/** The credentials as they are kept. Throws a Refusal that names the member. */
export function judgeFile(
  connector: KnownConnector,
  asked: { file: unknown; mode: ConnectionMode },
): Promise<Credentials> {
  const { connection_allowed_networks: allowed_networks } = readConfig()
  const judge = openEndpointUrlJudge({ clock: realClock(), allowed_networks })
  return judgeCredentials(connector, asked, async (url) => {
    const fault = await judge(url)
    return fault && `${fault.reason}, unless it lies in ${networks_variable}`
  })
}

function contentOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8')
  } catch (error) {
    throw new UsageError(`--credentials cannot be read: ${(error as Error).message}`)
  }
}
