// Our 3DS Server: implements the port to EMV 3-D Secure with the schemes' Directory Servers of one mode.

import type { Brand, Mode } from '../../kernel/values.ts'
import type { World } from '../../kernel/world.ts'
import { type CardRangeStore, type PostedThreeDs, ProviderUnavailable } from '../three-ds.ts'
import { httpsOnly, isAllowed, type MayOpen } from './addresses.ts'
import type { ServerIdentity } from './areq.ts'
import { sendAReq } from './authenticate.ts'
import { challengeForm, methodForm, readChallengeNotification, readMethodNotification } from './browser-messages.ts'
import { findRange } from './card-ranges.ts'
import type { DirectoryServer } from './directory-server.ts'
import { openCardRanges } from './load-ranges.ts'
import { answerResult, readResult } from './results.ts'
import { highestCommon } from './versions.ts'

type ThreeDsServerOptions = {
  mode: Mode
  world: World
  /** At most one for each scheme. A scheme without one has no enrolled cards. */
  directory_servers: DirectoryServer[]
  ranges: CardRangeStore
  identity: ServerIdentity
  /** Which of the banks' addresses a shopper's browser may open; only https unless this is given. */
  mayOpen?: MayOpen
}

export function openThreeDsServer(options: ThreeDsServerOptions): PostedThreeDs {
  const { mode, world, identity, mayOpen = httpsOnly } = options
  const servers = new Map<Brand, DirectoryServer>(options.directory_servers.map((server) => [server.scheme, server]))
  const cardRanges = openCardRanges({ world, identity, store: options.ranges })

  const enrolment: PostedThreeDs['enrolment'] = async ({ number, brand }) => {
    const server = servers.get(brand)
    if (!server) return { enrolled: false }
    const range = findRange(await cardRanges.tableOf(server), number)
    const version = range && highestCommon(range.acs_start_version, range.acs_end_version)
    if (!range || !version) return { enrolled: false }
    const { method_url } = range
    const usable = method_url !== null && isAllowed(method_url, mayOpen)
    return { enrolled: true, version, method_url: usable ? method_url : null }
  }

  const authenticate: PostedThreeDs['authenticate'] = async (request) => {
    const server = servers.get(request.brand)
    if (!server) throw new ProviderUnavailable(`${request.brand} has no Directory Server`)
    return sendAReq({ mode, world, identity, mayOpen }, server, request)
  }

  return {
    results: 'posted',
    enrolment,
    authenticate,
    methodForm,
    readMethodNotification,
    challengeForm,
    readChallengeNotification,
    readResult,
    answerResult,
  }
}
