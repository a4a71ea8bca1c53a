// The RReq, which alone decides how a challenge ended, and our answers to it.

import type { PostedThreeDs, ResultMessage, ResultVerdict } from '../three-ds.ts'
import { erro, type Message, readMessage } from './messages.ts'
import { outcomeIn } from './outcome.ts'
import { transactionIdOf } from './transaction-id.ts'

/** An Erro is answered with an empty body, because an Erro never answers an Erro. */
export const readResult: PostedThreeDs['readResult'] = (body) => {
  const reading = readMessage(body, ['RReq'])
  if ('fault' in reading) return { erro: erro('S', reading.fault) }
  const rreq = reading.message
  if (rreq.messageType === 'Erro') return { erro: '' }
  return { message: resultIn(rreq) }
}

/** The result in an RReq that passed its field rules. */
export function resultIn(rreq: Message): ResultMessage {
  return {
    server_transaction_id: transactionIdOf(rreq.threeDSServerTransID)!,
    acs_transaction_id: transactionIdOf(rreq.acsTransID)!,
    ds_transaction_id: transactionIdOf(rreq.dsTransID)!,
    version: rreq.messageVersion,
    outcome: outcomeIn(rreq),
  }
}

export const answerResult: PostedThreeDs['answerResult'] = (result, verdict) => {
  const message = { ...ids(result), messageVersion: result.version }
  if (verdict === 'received') {
    return JSON.stringify({ ...message, messageType: 'RRes', resultsStatus: '01' })
  }
  const { code, detail } = refusals[verdict]
  return erro('S', { code, detail, message: { ...message, messageType: 'RReq' } })
}

const refusals: Record<Exclude<ResultVerdict, 'received'>, { code: string; detail: string }> = {
  unknown_transaction: { code: '301', detail: 'threeDSServerTransID' },
  duplicate: { code: '312', detail: 'an RReq of this transaction was received before' },
  not_expected: { code: '313', detail: 'the ARes of this transaction asked for no challenge' },
}

function ids(result: ResultMessage) {
  return {
    threeDSServerTransID: result.server_transaction_id,
    acsTransID: result.acs_transaction_id,
    dsTransID: result.ds_transaction_id,
  }
}
