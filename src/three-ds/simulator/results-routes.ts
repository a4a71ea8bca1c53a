// Routes a challenge's single result through the simulated Directory Server to the 3DS Server's address and no other.

import type { PeerAnswer } from '../../kernel/peer.ts'
import { erro, type Message, readMessage } from '../emv/messages.ts'
import { transactionIdOf } from '../emv/transaction-id.ts'
import type { SimulatorOptions } from './options.ts'
import { message } from './peer.ts'

export type Routes = {
  /** Opens a route for the result of a challenge. */
  keep(ares: Message): void
  /** Forwards an RReq and returns the 3DS Server's answer. This uses up the route, or one of its tries. */
  forward(rreq: Message, body: string): Promise<PeerAnswer>
}

type Route = { ids: string; kept_at: number; tries_left: number }

const keep_ms = 3_600_000
export const routes_max = 10_000
/** How often an ACS tries to deliver its result. */
const tries_max = 5
const rres_timeout_ms = 3_000

export function openRoutes({
  world,
  results_url,
  headers,
}: Pick<SimulatorOptions, 'world' | 'results_url' | 'headers'>): Routes {
  const routes = new Map<string, Route>()

  function keep(ares: Message): void {
    const kept_at = world.clock.now().getTime()
    for (const [id, oldest] of routes) {
      if (oldest.kept_at > kept_at - keep_ms && routes.size < routes_max) break
      routes.delete(id)
    }
    const id = transactionIdOf(ares.dsTransID)!
    routes.set(id, { ids: idsOf(ares), kept_at, tries_left: tries_max })
  }

  async function forward(rreq: Message, body: string): Promise<PeerAnswer> {
    const id = transactionIdOf(rreq.dsTransID)!
    const route = routes.get(id)
    const too_old = world.clock.now().getTime() - keep_ms
    if (!route || route.ids !== idsOf(rreq) || route.kept_at <= too_old) {
      return refusal('301', 'dsTransID', rreq)
    }
    // While one delivery is under way, no second one may begin.
    routes.delete(id)
    const tries_left = route.tries_left - 1
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
    if (tries_left > 0) routes.set(id, { ...route, tries_left })
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
