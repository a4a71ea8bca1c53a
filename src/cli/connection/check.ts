// `ripper connection check`: whether the vendor takes a connection's credentials.

import { checkConnection } from '../../connections/check-connection.ts'
import { connectors } from '../../connections/connectors.ts'
import { connectionOrRefuse } from '../../connections/manage-connections.ts'
import { openWire } from '../../vendors/wire.ts'
import { withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { oneLine, printJson, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'

const limit_ms = 20_000
const reason_max = 300

export const connectionCheck: Command = {
  name: 'connection check',
  summary: 'Asks the vendor whether it takes the credentials; moves nothing',
  positionals: ['CONNECTION_ID'],
  options: {},
  remarks: ['The exit status is 1 where it does not, or could not be asked.'],
  async run({ positionals, json }) {
    const { row, answer } = await withCommandContext(async (context) => {
      const { keyring, vendor_http, clock } = context
      const found = await connectionOrRefuse(context, positionals[0]!)
      const parts = { keyring, clock, connectors, wire: openWire(vendor_http) }
      return { row: found, answer: await checkConnection(parts, found, limit_ms) }
    })
    const { connection_id, merchant_id, kind, connector, label, mode, state } = row
    const works = answer.result === 'works'
    if (json) {
      printJson({
        connection_id,
        merchant_id,
        kind,
        connector,
        label,
        mode,
        state,
        works,
        reason: works ? null : answer.reason,
        notes: works ? answer.notes : [],
      })
    } else if (works) {
      printLine(`${connector} takes the credentials of ${label} (${connection_id}).`)
      for (const note of answer.notes) printLine(oneLine(note, reason_max))
    } else {
      const reason = oneLine(answer.reason, reason_max)
      terminal().stderr.write(`${connector}, ${label} (${connection_id}): ${reason}\n`)
    }
    return works ? 0 : 1
  },
}
