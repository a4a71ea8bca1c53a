// `npm run sandbox`: the connector to a vendor against the vendor's own sandbox, with credentials from standard input. Prints a page
// of what held and what differed. Exits 1 where something differed.

import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { readConfig } from '../../src/config/config.ts'
import { connectors } from '../../src/connections/connectors.ts'
import { judgeCredentials } from '../../src/connections/judge-credentials.ts'
import { openEndpointUrlJudge } from '../../src/outgoing/judge-endpoint-url.ts'
import { realClock } from '../../src/outgoing/real-world.ts'
import { openVendorHttp } from '../../src/outgoing/vendor-http.ts'
import { openWire } from '../../src/vendor-wire/wire.ts'
import { oneOf, readAsked } from '../asked.ts'
import { cardsOf } from './cards.ts'
import { pageOf, rehearse } from './rehearse.ts'

const names = Object.keys(cardsOf)
const asked = readAsked('sandbox', { acquirer: oneOf(names) })

try {
  process.exitCode = await run(asked.acquirer)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 2
}

async function run(name: string | null): Promise<number> {
  const connector = connectors.find((each) => each.name === name)
  if (!connector) throw new Error(`--acquirer takes one of ${names.join(', ')}.`)
  const { connection_allowed_networks: allowed_networks } = readConfig()
  const clock = realClock()
  const judge = openEndpointUrlJudge({ clock, allowed_networks })
  const file = { file: fromStandardInput(), mode: 'sandbox' as const }
  const credentials = await judgeCredentials(connector, file, async (url) => (await judge(url))?.reason ?? null)
  const http = openVendorHttp({ clock, allowed_networks })
  const parts = {
    connector,
    credentials,
    clock,
    wire: openWire(http),
    installation: randomBytes(12).toString('hex'),
    mintReference: () => randomUUID().replaceAll('-', ''),
  }
  try {
    const verdicts = await rehearse(parts, ({ verdict, name }) => {
      process.stderr.write(`${verdict.padEnd(9)} ${name}\n`)
    })
    const day = clock.now().toISOString().slice(0, 10)
    process.stdout.write(pageOf(verdicts, { name: connector.name, day }))
    return verdicts.some(({ verdict }) => verdict === 'differed') ? 1 : 0
  } finally {
    await http.close()
  }
}

function fromStandardInput(): unknown {
  try {
    return JSON.parse(readFileSync(0, 'utf8'))
  } catch {
    // The parser's own words quote what it read.
    throw new Error('The credentials are a JSON object on standard input.')
  }
}
