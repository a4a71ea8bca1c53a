// The 3DS Server of each mode: in test mode one that uses the simulator, in live mode one that a file configures.

import { readFileSync } from 'node:fs'
import type { Mode } from '../kernel/values.ts'
import type { World } from '../kernel/world.ts'
import { httpsOrBelow } from './emv/addresses.ts'
import type { ServerIdentity } from './emv/areq.ts'
import type { DirectoryServer } from './emv/directory-server.ts'
import { openThreeDsServer } from './emv/three-ds-server.ts'
import type { CardRangeStore, PostedThreeDs, StoredRanges } from './three-ds.ts'

/** Where the simulated Directory Server and ACS are mounted. */
export const simulator_prefix = '/simulator/three-ds'

type LiveDirectoryServers = ServerIdentity & {
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
  /** The headers that the simulated issuer expects with each message; null where it does not run. */
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

const testIdentity: ServerIdentity = {
  server_reference_number: '3DS_LOA_SER_RIPPER_TEST',
  operator_id: 'RIPPER-TEST',
  requestor_id: 'RIPPER-TEST',
  requestor_name: 'Ripper Checkout test mode',
  requestor_url: 'https://ripper.example',
}

/** The simulator's ranges contain addresses of this process, so they are not stored. */
function inMemory(): CardRangeStore {
  const rows = new Map<string, StoredRanges>()
  return {
    load: async (name) => rows.get(name) ?? null,
    save: async (name, row) => {
      rows.set(name, row)
    },
  }
}
