// Talks to a Directory Server: each request and each answer is one JSON message.

import type { Brand } from '../../kernel/values.ts'
import { type OutgoingAnswer, OutgoingFailure, type OutgoingRequest, type World } from '../../kernel/world.ts'
import { ProviderUnavailable } from '../three-ds.ts'
import type { MessageType } from './field-rules.ts'
import { readJsonObject } from './json.ts'
import { type Message, type MessageFault, readMessage } from './messages.ts'

export type DirectoryServer = {
  scheme: Brand
  url: string
  tls?: OutgoingRequest['tls']
  /** Sent with each message, besides the usual headers. */
  headers?: Record<string, string>
}

/** `silent` says why there is no usable answer to a message that may have arrived. */
export type DirectoryAnswer = { message: Message } | { fault: MessageFault } | { silent: string }

const read_timeout_ms = 10_000

/**
 * Throws ProviderUnavailable if the bank was not asked: no byte was sent, or a gateway in front could not reach the
 * server.
 */
export async function askDirectoryServer(
  world: World,
  server: DirectoryServer,
  message: Message,
  expected: MessageType,
): Promise<DirectoryAnswer> {
  let answer: OutgoingAnswer
  try {
    answer = await world.http.post({
      url: server.url,
      headers: {
        ...server.headers,
        'content-type': 'application/json; charset=utf-8',
        accept: 'application/json',
      },
      body: JSON.stringify(message),
      timeout_ms: read_timeout_ms,
      tls: server.tls,
      // A scheme has hundreds of thousands of card ranges.
      ...(expected === 'PRes' && { answer_bytes_max: 64 * 1024 * 1024 }),
    })
  } catch (error) {
    if (!(error instanceof OutgoingFailure)) throw error
    if (error.kind === 'unanswered') {
      return { silent: error.timed_out ? 'no answer in time' : 'the connection was lost' }
    }
    throw new ProviderUnavailable(`the Directory Server of ${server.scheme} was not reached`)
  }
  if (answer.status === 502 || answer.status === 503) {
    throw new ProviderUnavailable(`the Directory Server of ${server.scheme} is not there`)
  }
  if (answer.status < 200 || answer.status > 299 || 'not_json' in readJsonObject(answer.body)) {
    return { silent: `an answer outside the protocol, status ${answer.status}` }
  }
  return readMessage(answer.body, [expected])
}
