// Reads a message by its field rules, and describes a message's faults in an Erro.

import { type FieldFault, faultOfFields, fieldRules, type MessageType, messageTypes } from './field-rules.ts'
import { type JsonObject, readJsonObject } from './json.ts'
import { transactionIdOf } from './transaction-id.ts'
import { isVersion } from './versions.ts'

export type Message = JsonObject & { messageType: MessageType; messageVersion: string }

/** Why a message is refused: the Erro's code and the names of the wrong fields, never their values. */
export type MessageFault = { code: string; detail: string; message: JsonObject }

type Component = 'S' | 'D' | 'A'

/** Reads one of the expected messages. An Erro is always read as an Erro, whatever its fields contain. */
export function readMessage(
  body: string,
  expected: readonly MessageType[],
): { message: Message } | { fault: MessageFault } {
  const reading = readJsonObject(body)
  if ('not_json' in reading) return fault('203', 'the body is not a JSON object', {})
  if ('duplicate' in reading) return fault('204', reading.duplicate || 'a field without a name', {})
  const message = reading.object
  if (message.messageType === undefined) return fault('201', 'messageType', message)
  if (message.messageType === 'Erro') return { message: message as Message }
  if (!expected.includes(message.messageType as MessageType)) {
    return fault('101', 'messageType', message)
  }
  if (message.messageVersion === undefined) return fault('201', 'messageVersion', message)
  if (!isVersion(message.messageVersion)) return fault('102', 'messageVersion', message)
  const wrong = messageFault(message as Message)
  return wrong ? fault(wrong.code, wrong.fields.join(','), message) : { message: message as Message }
}

/** The fault in the fields of a message that we will send or have read, or null. */
export function messageFault(message: Message): FieldFault | null {
  return faultOfFields(message, fieldRules[message.messageType])
}

/** The Erro for a fault, as JSON text. */
export function erro(component: Component, { code, detail, message }: MessageFault): string {
  const about = messageTypes.find((type) => type === message.messageType)
  return JSON.stringify({
    ...present('threeDSServerTransID', transactionIdOf(message.threeDSServerTransID)),
    ...present('acsTransID', transactionIdOf(message.acsTransID)),
    ...present('dsTransID', transactionIdOf(message.dsTransID)),
    errorCode: code,
    errorComponent: component,
    errorDescription: descriptions[code] ?? 'Error',
    errorDetail: detail.slice(0, 2048),
    ...present('errorMessageType', about ?? null),
    messageType: 'Erro',
    messageVersion: isVersion(message.messageVersion) ? message.messageVersion : '2.2.0',
  })
}

/** A field to spread into a message. Without a value the field is left out, because no field may be empty. */
export function present(name: string, value: string | null | undefined): Record<string, string> {
  return value ? { [name]: value } : {}
}

function fault(code: string, detail: string, message: JsonObject): { fault: MessageFault } {
  return { fault: { code, detail, message } }
}

const descriptions: Record<string, string> = {
  101: 'Message type not valid here',
  102: 'Message version not supported',
  103: 'Card ranges asked for too often',
  201: 'Required field missing',
  203: 'Field format not valid',
  204: 'Field given more than once',
  301: 'Transaction not known',
  303: 'Access denied, endpoint not valid',
  305: 'Transaction data not valid',
  307: 'Serial number not valid',
  312: 'Results were received already',
  313: 'Results not expected',
  402: 'Transaction timed out',
  405: 'Connection to the next system failed',
}
