// Talks to a Directory Server: one JSON message out, one back.

import type { Brand } from '../../values.ts'
import {
  type OutgoingAnswer,
  OutgoingFailure,
  type OutgoingRequest,
  type World,
} from '../../world.ts'
import { ProviderUnavailable } from '../three-ds.ts'
import type { MessageType } from './field-rules.ts'
import { readJson } from './json.ts'
import { type Fault, type Message, readMessage } from './messages.ts'

export type DirectoryServer = { scheme: Brand; url: string; tls?: OutgoingRequest['tls'] }

export type DirectoryAnswer = { message: Message } | { fault: Fault } | { timed_out: true }

const read_timeout_ms = 10_000

/** Throws ProviderUnavailable where nothing was asked, or the answer is none of the protocol's. */
export async function ask(
  world: World,
  server: DirectoryServer,
  message: Message,
  expected: MessageType,
): Promise<DirectoryAnswer> {
  let answer: OutgoingAnswer
  try {
    answer = await world.http.post({
      url: server.url,
      headers: { 'content-type': 'application/json; charset=utf-8', accept: 'application/json' },
      body: JSON.stringify(message),
      timeout_ms: read_timeout_ms,
      tls: server.tls,
    })
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    if (error.kind === 'unanswered' && error.timed_out) return { timed_out: true }
    throw new ProviderUnavailable(`the Directory Server of ${server.scheme} was not reached`)
  }
  if (answer.status < 200 || answer.status > 299 || 'not_json' in readJson(answer.body)) {
    throw new ProviderUnavailable(
      `the Directory Server of ${server.scheme} answered outside the protocol: ${answer.status}`,
    )
  }
  return readMessage(answer.body, [expected])
}
