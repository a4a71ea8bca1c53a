// Reads and judges the credentials that a command is given. They are never repeated, not even where they are no JSON.

import { readFileSync } from 'node:fs'
import { readConfig } from '../../config/config.ts'
import { settings } from '../../config/settings.ts'
import type { Credentials } from '../../connections/connection.ts'
import { connectors, type KnownConnector, membersWords } from '../../connections/connectors.ts'
import { environmentDoubt } from '../../connections/environment.ts'
import { judgeCredentials } from '../../connections/judge-credentials.ts'
import { bodyLimits } from '../../http/body-limits.ts'
import { readJson } from '../../http/json.ts'
import type { ConnectionMode } from '../../kernel/connection-mode.ts'
import { Refusal } from '../../kernel/errors.ts'
import { realClock } from '../../outgoing/real-world.ts'
import { apiUrlJudge } from '../../service/api-urls.ts'
import { text } from '../command-context.ts'
import { type OptionSpec, type Options, UsageError } from '../terminal/command.ts'
import { terminal } from '../terminal/terminal.ts'

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
  try {
    return readJson(contentOf(path), bodyLimits.fields)
  } catch (error) {
    // A member that stands twice has two values, of which nobody knows the right one.
    if (!(error instanceof Refusal)) throw error
    const is_json = error.field !== null && error.field !== 'body'
    const words = `: ${error.message.replace(/\.$/, '')}`
    throw new UsageError(`--credentials${is_json ? words : ' must name a file that holds JSON'}`)
  }
}

/** The credentials as they are kept. Throws a Refusal that names the member. */
export function judgeFile(
  connector: KnownConnector,
  asked: { file: unknown; mode: ConnectionMode },
): Promise<Credentials> {
  return judgeCredentials(connector, asked, apiUrlJudge(readConfig(terminal().environment), realClock()))
}

/** Warns of a key of the other environment that `api_url` leads to another address. The command goes on. */
export function warnOfEnvironment(
  connector: KnownConnector,
  asked: { credentials: Credentials; mode: ConnectionMode },
): void {
  const doubt = environmentDoubt(connector, asked.credentials, asked.mode)
  if (doubt !== null) terminal().stderr.write(`Warning: ${doubt}. It is taken because of api_url.\n`)
}

function contentOf(path: string): Buffer {
  try {
    return readFileSync(path === '-' ? 0 : path)
  } catch (error) {
    throw new UsageError(`--credentials cannot be read: ${(error as Error).message}`)
  }
}
