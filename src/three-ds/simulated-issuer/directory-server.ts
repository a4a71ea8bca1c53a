// The simulated Directory Server: validates messages, knows the card ranges, and forwards messages.

import { testCardOf } from '../../cards/test-cards.ts'
import type { PeerAnswer } from '../../kernel/peer.ts'
import { erro, type Message, type MessageFault, readMessage } from '../emv/messages.ts'
import { newTransactionId } from '../emv/transaction-id.ts'
import type { AccessControlServer } from './access-control-server.ts'
import type { SimulatorOptions } from './options.ts'
import { message, plainAnswer } from './peer.ts'
import { openRoutes } from './results-routes.ts'
import { offers, testRanges } from './test-ranges.ts'

type DsOptions = Omit<SimulatorOptions, 'signing_key' | 'pages_url'> & {
  acs: AccessControlServer
  /** Aborts all waits when the simulator closes. */
  closing: AbortSignal
}

const reference_number = 'RIPPER-SIMULATED-DS'
const deltas_at_most_every_ms = 3_600_000
/** Longer than any 3DS Server waits for its ARes. */
const silence_ms = 60_000

/** Answers one message posted to the Directory Server. */
export function openDirectoryServer(options: DsOptions): (body: string) => Promise<PeerAnswer> {
  const { world, base_url, public_url, results_url } = options
  const routes = openRoutes(options)
  const deltas = new Map<string, number>()

  function cardRanges(preq: Message): PeerAnswer {
    const { serial_number, rows } = testRanges(public_url())
    const asker = preq.threeDSServerRefNumber as string
    const now = world.clock.now().getTime()
    if (preq.serialNum !== undefined) {
      if (now - (deltas.get(asker) ?? Number.NEGATIVE_INFINITY) < deltas_at_most_every_ms) {
        return refusal('103', 'at most one PReq with a serialNum an hour', preq)
      }
      if (preq.serialNum !== serial_number) return refusal('307', 'serialNum', preq)
      // Few servers use a simulator. If one invents many ids, the count starts again.
      if (deltas.size > 1000) deltas.clear()
      deltas.set(asker, now)
    }
    return message(
      JSON.stringify({
        messageType: 'PRes',
        messageVersion: preq.messageVersion,
        threeDSServerTransID: preq.threeDSServerTransID,
        dsTransID: newTransactionId(world.random),
        dsStartProtocolVersion: '2.1.0',
        dsEndProtocolVersion: '2.3.1',
        serialNum: serial_number,
        ...(preq.serialNum === undefined ? { cardRangeData: rows } : {}),
      }),
    )
  }

  async function authentication(areq: Message): Promise<PeerAnswer> {
    const fault = faultOfAReq(areq, results_url())
    if (fault) return message(erro('D', fault))
    const card = testCardOf(areq.acctNumber as string)!
    if (card.ranges === 'provider_down') return plainAnswer(503, 'service unavailable\n')
    if (card.three_ds === 'ds_timeout') {
      await world.clock.sleep(silence_ms, options.closing).catch(() => {})
      return 'hang_up'
    }
    if (card.three_ds === 'erro') return refusal('305', 'acctNumber', areq)
    const ares = await options.acs.answer({
      ...areq,
      dsReferenceNumber: reference_number,
      dsTransID: newTransactionId(world.random),
      dsURL: `${base_url()}/ds`,
    })
    world.log.debug({ ds_transaction_id: ares.dsTransID, status: ares.transStatus }, 'simulated authentication')
    return message(JSON.stringify(ares))
  }

  return async (body) => {
    const reading = readMessage(body, ['PReq', 'AReq', 'RReq'])
    if ('fault' in reading) return message(erro('D', reading.fault))
    const { messageType } = reading.message
    if (messageType === 'PReq') return cardRanges(reading.message)
    if (messageType === 'AReq') return authentication(reading.message)
    // An Erro is acknowledged with an empty answer.
    return messageType === 'RReq' ? routes.forward(reading.message, body) : plainAnswer(200, '')
  }
}

/** The faults of an AReq that only a Directory Server can find. */
function faultOfAReq(areq: Message, results_url: string): MessageFault | null {
  // The Directory Server must not be made to post to another address, and never to itself.
  if (areq.threeDSServerURL !== results_url) {
    return { code: '303', detail: 'threeDSServerURL', message: areq }
  }
  const card = testCardOf(areq.acctNumber as string)
  const offer = card && offers[card.ranges]
  if (!offer) return { code: '305', detail: 'acctNumber', message: areq }
  const { messageVersion } = areq
  const spoken = offer.start <= messageVersion && messageVersion <= offer.end
  return spoken ? null : { code: '102', detail: 'messageVersion', message: areq }
}

function refusal(code: string, detail: string, about: Message): PeerAnswer {
  return message(erro('D', { code, detail, message: about }))
}
