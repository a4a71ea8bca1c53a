// The addresses of the simulated Directory Server and ACS, and the addresses that they may call.

import type { KeyObject } from 'node:crypto'
import type { World } from '../../kernel/world.ts'
import type { ChallengeStore } from './challenges.ts'

export type SimulatorOptions = {
  world: World
  /**
   * The mount as servers reach it, without a final slash (`http://127.0.0.1:8080/simulator/three-ds`). Like every address here
   * it is read at each use.
   */
  base_url: () => string
  /** The mount as browsers reach it. */
  public_url: () => string
  /** The 3DS Server's address for results. The Directory Server posts to no other address. */
  results_url: () => string
  /** The start of the addresses of the 3DS Server's pages, with a final slash. The ACS sends browsers back only to these. */
  pages_url: () => string
  /** The headers of each call that the simulator makes. */
  headers: Record<string, string>
  signing_key: Buffer | KeyObject
  challenges: ChallengeStore
}
