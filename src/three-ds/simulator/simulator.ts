// Test mode's other side of EMV 3-D Secure: a Directory Server and an ACS that speak the real wire.

import type { PeerAnswer, PeerRequest } from '../../peer.ts'
import type { World } from '../../world.ts'
import { openAccessControlServer } from './access-control-server.ts'
import { answerChallenge, methodPage, openChallenge } from './challenge.ts'
import { openDirectoryServer } from './directory-server.ts'
import { plain } from './peer.ts'
import { silent_method_path } from './test-ranges.ts'

export type ThreeDsSimulator = {
  handle(request: PeerRequest): Promise<PeerAnswer>
  /** Ends everything that waits. Challenges that are open get no result any more. */
  close(): void
}

/**
 * Both addresses are the mount's, without a slash at the end (`http://127.0.0.1:8080/simulator/three-ds`):
 * `base_url` as servers reach it, `public_url` as browsers do. Both are asked for at each use.
 */
export function openThreeDsSimulator(options: {
  world: World
  base_url: () => string
  public_url: () => string
  signing_key: Buffer
}): ThreeDsSimulator {
  const { world, base_url, public_url } = options
  const closing = new AbortController()
  const acs = openAccessControlServer(options)
  const directoryServer = openDirectoryServer({
    world,
    acs,
    base_url,
    public_url,
    closing: closing.signal,
  })

  async function handle({ method, path, body }: PeerRequest): Promise<PeerAnswer> {
    const answer = routeOf(path)
    if (!answer) return plain(404, 'not found\n')
    return method === 'POST' ? answer(body) : plain(405, 'POST only\n')
  }

  function routeOf(path: string): ((body: string) => PeerAnswer | Promise<PeerAnswer>) | null {
    const form = (body: string) => new URLSearchParams(body)
    if (path === '/ds') return directoryServer
    if (path === '/acs/method') return (body) => methodPage(form(body), { silent: false })
    if (path === silent_method_path) return (body) => methodPage(form(body), { silent: true })
    if (path === '/acs/challenge') return (body) => openChallenge(acs, form(body), public_url())
    const [, id] = /^\/acs\/challenge\/([^/]+)$/.exec(path) ?? []
    return id ? (body) => answerChallenge(acs, id, form(body), public_url()) : null
  }

  function close(): void {
    closing.abort()
    acs.close()
  }

  return { handle, close }
}
