// `ripper connection list`: the connections of merchants. Their credentials are shown to nobody.

import { type Connection, noticeUrl } from '../../connections/connection.ts'
import { listConnections } from '../../connections/connection-store.ts'
import { timestamp, timestampOrNull } from '../../kernel/values.ts'
import { merchantOrRefuse } from '../../merchants/manage.ts'
import { everyMerchantOption, text, withCommandContext } from '../command-context.ts'
import { baseUrlOf } from '../service/connection.ts'
import type { Command } from '../terminal/command.ts'
import { paintState } from '../terminal/paint.ts'
import { printJson, printLine, printTable, shortTime } from '../terminal/print.ts'

export const connectionList: Command = {
  name: 'connection list',
  summary: 'Lists the connections of a merchant, or of all, oldest first; no credentials are shown',
  options: { merchant: everyMerchantOption },
  async run({ options, json }) {
    const named = text(options, 'merchant')
    const { merchant_id, found } = await withCommandContext(async ({ sql }) => {
      const whose = named && (await merchantOrRefuse(sql, named)).merchant_id
      return { merchant_id: whose, found: await listConnections(sql, whose) }
    })
    const base_url = baseUrlOf({})
    if (json) {
      const connections = found.map((each) => viewConnection(each, base_url))
      printJson({ merchant_id, connections })
    } else if (found.length === 0) {
      const whose = merchant_id === null ? 'There is' : `The merchant ${merchant_id} has`
      printLine(`${whose} no connection. ripper connection create makes one.`)
    } else printConnections(found, merchant_id === null)
  },
}

function viewConnection(connection: Connection, base_url: string) {
  const { created_at, rotated_at, disabled_at, ...told } = connection
  return {
    ...told,
    notice_url: noticeUrl(base_url, connection),
    created_at: timestamp(created_at),
    rotated_at: timestampOrNull(rotated_at),
    disabled_at: timestampOrNull(disabled_at),
  }
}

function printConnections(connections: Connection[], with_merchant: boolean): void {
  const headings = ['connection', 'label', 'connector', 'mode', 'state', 'created']
  printTable(
    with_merchant ? ['merchant', ...headings] : headings,
    connections.map((each) => (with_merchant ? [each.merchant_id, ...rowOf(each)] : rowOf(each))),
  )
}

function rowOf({ connection_id, label, connector, mode, state, created_at }: Connection): string[] {
  return [connection_id, label, connector, mode, paintState(state), shortTime(created_at)]
}
