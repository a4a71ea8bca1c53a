// The other side of EMV 3-D Secure in test mode: a Directory Server and an ACS that use the real protocol.

import type { PeerAnswer, PeerPlace, PeerRequest } from '../../kernel/peer.ts'
import { openAccessControlServer } from './access-control-server.ts'
import { answerChallenge, bankMethodPage, openChallenge } from './challenge.ts'
import { openDirectoryServer } from './directory-server.ts'
import type { SimulatorOptions } from './options.ts'
import { plainAnswer } from './peer.ts'
import { method_path, silent_method_path } from './test-ranges.ts'

export type ThreeDsSimulator = {
  handle(request: PeerRequest): Promise<PeerAnswer>
  /** Ends challenges and sends results for processes that have gone. Returns how many. */
  endDue(): Promise<number>
  /** Ends all waits. Open challenges are left to other processes, or to the next start. */
  close(): void
}

const ds_path = '/ds'
const challenge_path = '/acs/challenge'

/** Places below the mount. Shoppers' browsers reach only the ACS. The Directory Server serves 3DS Servers and the ACS. */
export const simulator_places: readonly PeerPlace[] = [
  { path: ds_path, own_calls_only: true },
  { path: method_path },
  { path: silent_method_path },
  { path: challenge_path },
  { path: `${challenge_path}/{id}` },
]

export function openThreeDsSimulator(options: SimulatorOptions): ThreeDsSimulator {
  const { public_url, pages_url } = options
  const { now } = options.world.clock
  const closing = new AbortController()
  const acs = openAccessControlServer(options)
  const directoryServer = openDirectoryServer({ ...options, acs, closing: closing.signal })

  async function handle({ method, path, body }: PeerRequest): Promise<PeerAnswer> {
    const answer = routeOf(path)
    if (!answer) return plainAnswer(404, 'not found\n')
    return method === 'POST' ? answer(body) : plainAnswer(405, 'POST only\n')
  }

  function routeOf(path: string): ((body: string) => PeerAnswer | Promise<PeerAnswer>) | null {
    const form = (body: string) => new URLSearchParams(body)
    const at = { public_url: public_url(), pages_url: pages_url(), now }
    if (path === ds_path) return directoryServer
    if (path === method_path) return (body) => bankMethodPage(form(body), { silent: false, ...at })
    if (path === silent_method_path) {
      return (body) => bankMethodPage(form(body), { silent: true, ...at })
    }
    if (path === challenge_path) return (body) => openChallenge(acs, form(body), at)
    const [, id] = /^\/acs\/challenge\/([^/]+)$/.exec(path) ?? []
    return id ? (body) => answerChallenge(acs, id, form(body), at) : null
  }

  function close(): void {
    closing.abort()
    acs.close()
  }

  return { handle, endDue: acs.endDue, close }
}
