// `ripper endpoint test`: posts a test event to an endpoint, and shows what it answers.

import { readConfig } from '../../config/config.ts'
import { inCell } from '../../database/cells/cells.ts'
import { openWebhookSending } from '../../service/webhooks.ts'
import { endpointNotFound } from '../../webhooks/endpoint.ts'
import { findEndpointKey } from '../../webhooks/endpoints/endpoint-store.ts'
import { sendTestEvent, test_event_type } from '../../webhooks/sending/send-test-event.ts'
import { type CommandContext, withCommandContext } from '../command-context.ts'
import type { Command } from '../terminal/command.ts'
import { print, printLine } from '../terminal/print.ts'
import { terminal } from '../terminal/terminal.ts'
import { networks_variable } from './endpoint.ts'

export const endpointTest: Command = {
  name: 'endpoint test',
  summary: 'Posts a test event to an endpoint, once, and shows the answer',
  positionals: ['ENDPOINT_ID'],
  options: {},
  remarks: [
    `The event has the type ${test_event_type}. It is signed like every other and stored nowhere: no list has it.`,
    'This machine sends it, not the service. The exit status is 1 if the answer was not 2xx.',
  ],
  async run({ positionals, json }) {
    const [id] = positionals as [string]
    const result = await withCommandContext((context) => sendFrom(context, id))
    print(result, json)
    if (!json && result.failure?.startsWith('blocked_address')) {
      printLine(
        `\nThe address lies in no network that this command may post to: list it in ${networks_variable}, such as ` +
          '127.0.0.0/8 for\nthis machine. Set it both for the service and for this command.',
      )
    }
    return result.succeeded ? 0 : 1
  },
}

async function sendFrom(context: CommandContext, endpoint_id: string) {
  const endpoint = await findEndpointKey(context.sql, endpoint_id)
  if (!endpoint) throw endpointNotFound()
  const sending = openWebhookSending(readConfig(terminal().environment), context.clock)
  try {
    const own = await inCell(context, endpoint.merchant_id)
    return await sendTestEvent({ ...own, webhook_sending: sending }, endpoint)
  } finally {
    await sending.http.close()
  }
}
