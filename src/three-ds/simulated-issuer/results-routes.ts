// Passes a challenge's result through the simulated Directory Server to the 3DS Server's address and no other.

import type { PeerAnswer } from '../../kernel/peer.ts'
import { erro, type Message, readMessage } from '../emv/messages.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import { type Challenge, keep_ms } from './challenges.ts'
import type { SimulatorOptions } from './options.ts'
import { message } from './peer.ts'
import { idsOf } from './send-result.ts'

export type Routes = {
  /** Forwards the RReq of a challenge whose result has not arrived yet, and returns the 3DS Server's answer. */
  forward(rreq: Message, body: string): Promise<PeerAnswer>
}

const rres_timeout_ms = 3_000

export function openRoutes({
  world,
  results_url,
  headers,
  challenges,
}: Pick<SimulatorOptions, 'world' | 'results_url' | 'headers'> & {
  challenges: Pick<SimulatorOptions['challenges'], 'find'>
}): Routes {
  const underWay = new Set<string>()

  async function isAwaited(rreq: Message): Promise<boolean> {
    const challenge = await challenges.find(transactionIdOf(rreq.acsTransID)!)
    if (!challenge || challenge.due_at === null) return false
    const too_old_ms = world.clock.now().getTime() - keep_ms
    return challenge.created_at.getTime() > too_old_ms && isOf(challenge, rreq)
  }

  async function pass(rreq: Message, body: string): Promise<PeerAnswer> {
    try {
      const answer = await world.http.post({
        url: results_url(),
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        body,
        timeout_ms: rres_timeout_ms,
      })
      const usable = answer.status < 300 && 'message' in readMessage(answer.body, ['RRes'])
      if (usable) return message(answer.body)
      world.log.warn({ status: answer.status }, 'an RReq was not answered with an RRes')
    } catch {
      world.log.warn({}, 'an RReq reached no 3DS Server')
    }
    return refusal('405', 'threeDSServerURL', rreq)
  }

  async function forward(rreq: Message, body: string): Promise<PeerAnswer> {
    const id = transactionIdOf(rreq.dsTransID)!
    // While one delivery is under way, no second one may begin.
    if (underWay.has(id)) return refusal('301', 'dsTransID', rreq)
    underWay.add(id)
    try {
      if (!(await isAwaited(rreq))) return refusal('301', 'dsTransID', rreq)
      return await pass(rreq, body)
    } finally {
      underWay.delete(id)
    }
  }

  return { forward }
}

function isOf(challenge: Challenge, rreq: Message): boolean {
  return Object.entries(idsOf(challenge)).every(([name, id]) => transactionIdOf(id) === transactionIdOf(rreq[name]))
}

function refusal(code: string, detail: string, rreq: Message): PeerAnswer {
  return message(erro('D', { code, detail, message: rreq }))
}
