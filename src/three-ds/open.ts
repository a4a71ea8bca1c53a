// The 3DS Server of each mode: in test mode one that uses the simulator, in live mode one that a file configures.

import { readFileSync } from 'node:fs'
import type { Brand, Mode } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import { httpsOnly, httpsOrBelow, isAllowed, type MayOpen } from './emv/addresses.ts'
import type { Identity } from './emv/areq.ts'
import { sendAReq } from './emv/authenticate.ts'
import { challengeForm, methodForm, readChallengeNotification, readMethodNotification } from './emv/browser-messages.ts'
import { findRange } from './emv/card-ranges.ts'
import type { DirectoryServer } from './emv/directory-server.ts'
import { openCardRanges } from './emv/load-ranges.ts'
import { answerResult, readResult } from './emv/results.ts'
import { highestCommon } from './emv/versions.ts'
import { type CardRangeStore, type PostedThreeDs, ProviderUnavailable, type StoredRanges } from './three-ds.ts'

/** Where the simulated Directory Server and ACS are mounted. */
export const simulator_prefix = '/simulator/three-ds'

type LiveDirectoryServers = Identity & {
  directory_servers: {
    scheme: DirectoryServer['scheme']
    url: string
    certificate_file?: string
    key_file?: string
    ca_file?: string
  }[]
}

export function openThreeDs(parts: {
  world: World
  addresses: { base_url(): string; internal_url(): string }
  file: LiveDirectoryServers | null
  ranges: CardRangeStore
  /** The headers that the simulated bank expects with each message; null where it does not run. */
  simulator: { headers: Record<string, string> } | null
}): Record<Mode, PostedThreeDs | null> {
  const { world, addresses, file, ranges, simulator } = parts
  return {
    test: simulator && openTestServer(world, addresses, simulator),
    live: file && openLiveServer(world, file, ranges),
  }
}

function openTestServer(
  world: World,
  addresses: { base_url(): string; internal_url(): string },
  { headers }: { headers: Record<string, string> },
): PostedThreeDs {
  const at = () => `${addresses.internal_url()}${simulator_prefix}/ds`
  // The address is known only once the server listens, so it is read at each use.
  const server = (scheme: DirectoryServer['scheme']): DirectoryServer => ({
    scheme,
    headers,
    get url() {
      return at()
    },
  })
  return openThreeDsServer({
    mode: 'test',
    world,
    directory_servers: [server('visa'), server('mastercard'), server('amex')],
    ranges: inMemory(),
    identity: testIdentity,
    mayOpen: httpsOrBelow(() => addresses.base_url() + simulator_prefix),
  })
}

function openLiveServer(world: World, file: LiveDirectoryServers, ranges: CardRangeStore): PostedThreeDs {
  const pem = (path: string | undefined) => path && readFileSync(path, 'utf8')
  return openThreeDsServer({
    mode: 'live',
    world,
    ranges,
    identity: file,
    directory_servers: file.directory_servers.map(({ scheme, url, ...files }) => ({
      scheme,
      url,
      tls: {
        certificate: pem(files.certificate_file),
        key: pem(files.key_file),
        ca: pem(files.ca_file),
      },
    })),
  })
}

const testIdentity: Identity = {
  server_reference_number: '3DS_LOA_SER_RIPPER_TEST',
  operator_id: 'RIPPER-TEST',
  requestor_id: 'RIPPER-TEST',
  requestor_name: 'Ripper Checkout test mode',
  requestor_url: 'https://ripper.example',
}

/** The simulator's ranges contain addresses of this start, so they are not kept after it. */
function inMemory(): CardRangeStore {
  const kept = new Map<string, StoredRanges>()
  return {
    load: async (name) => kept.get(name) ?? null,
    save: async (name, stored) => {
      kept.set(name, stored)
    },
  }
}

/** Our 3DS Server: implements the port to EMV 3-D Secure with the schemes' Directory Servers of one mode. */
type ThreeDsServerOptions = {
  mode: Mode
  world: World
  /** At most one for each scheme. A scheme without one has no enrolled cards. */
  directory_servers: DirectoryServer[]
  ranges: CardRangeStore
  identity: Identity
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
