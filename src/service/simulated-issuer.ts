// The simulated issuer of test mode, as this process serves it.

import { createSecretKey } from 'node:crypto'
import type { Database } from '../database/open.ts'
import { openChallenges } from '../database/stores/simulated-challenges.ts'
import type { OwnCalls } from '../http/own-calls.ts'
import type { Keyring } from '../kernel/keyring.ts'
import type { Peer } from '../kernel/peer.ts'
import type { World } from '../kernel/world.ts'
import { results_path } from '../payments/authentication/receive-result.ts'
import { simulator_prefix } from '../three-ds/open.ts'
import {
  openThreeDsSimulator,
  simulator_places,
  type ThreeDsSimulator,
} from '../three-ds/simulated-issuer/simulator.ts'

type SimulatedIssuer = Pick<ThreeDsSimulator, 'endDue' | 'close'> & { peer: Peer }

type IssuerOptions = {
  simulator: 'on' | 'off'
  world: World
  database: Pick<Database, 'sql'>
  keyring: Pick<Keyring, 'mac'>
  addresses: { base_url(): string; internal_url(): string }
}

export function openSimulatedIssuer(
  { simulator, world, addresses, keyring, database }: IssuerOptions,
  ownCalls: OwnCalls,
): SimulatedIssuer {
  const is_open = simulator === 'on'
  const { handle, endDue, close } = openThreeDsSimulator({
    world,
    base_url: () => addresses.internal_url() + simulator_prefix,
    public_url: () => addresses.base_url() + simulator_prefix,
    results_url: () => addresses.internal_url() + results_path,
    pages_url: () => `${addresses.base_url()}/3ds/`,
    headers: ownCalls.headers,
    signing_key: createSecretKey(keyring.mac('simulated bank')),
    challenges: openChallenges(database.sql),
  })
  return {
    peer: { prefix: simulator_prefix, places: simulator_places, is_open, handle },
    endDue: async () => (is_open ? endDue() : 0),
    close,
  }
}
