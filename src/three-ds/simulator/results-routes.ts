// Where the simulated Directory Server passes an RReq on to: the address that the AReq gave.

import type { PeerAnswer } from '../../peer.ts'
import type { World } from '../../world.ts'
import { erro, type Message, readMessage } from '../emv/messages.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import { message } from './peer.ts'

export type Routes = {
  /** Remembers a challenge's 3DS Server. */
  keep(ares: Message, results_url: string): void
  /** Passes an RReq on and answers with what the 3DS Server said. */
  forward(rreq: Message, body: string): Promise<PeerAnswer>
}

type Route = { ids: string; results_url: string; kept_at: number }

const keep_ms = 3_600_000
const keep_at_most = 50_000
const rres_timeout_ms = 3_000

export function openRoutes(world: World): Routes {
  const routes = new Map<string, Route>()

  function keep(ares: Message, results_url: string): void {
    const kept_at = world.clock.now().getTime()
    for (const [id, oldest] of routes) {
      if (oldest.kept_at > kept_at - keep_ms && routes.size < keep_at_most) break
      routes.delete(id)
    }
    const id = transactionIdOf(ares.dsTransID)!
    routes.set(id, { ids: idsOf(ares), results_url, kept_at })
  }

  async function forward(rreq: Message, body: string): Promise<PeerAnswer> {
    const route = routes.get(transactionIdOf(rreq.dsTransID)!)
    if (!route || route.ids !== idsOf(rreq)) return refusal('301', 'dsTransID', rreq)
    try {
      const answer = await world.http.post({
        url: route.results_url,
        headers: { 'content-type': 'application/json; charset=utf-8' },
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

  return { keep, forward }
}

function idsOf(about: Message): string {
  const ids = [about.threeDSServerTransID, about.acsTransID, about.dsTransID]
  return ids.map(transactionIdOf).join(' ')
}

function refusal(code: string, detail: string, rreq: Message): PeerAnswer {
  return message(erro('D', { code, detail, message: rreq }))
}
