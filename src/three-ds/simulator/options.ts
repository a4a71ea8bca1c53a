// Where the simulated Directory Server and ACS are found, and whom they answer.

import type { World } from '../../kernel/world.ts'

export type SimulatorOptions = {
  world: World
  /**
   * The mount as servers reach it, without a slash at the end (`http://127.0.0.1:8080/simulator/three-ds`). Like every address
   * here it is asked for at each use.
   */
  base_url: () => string
  /** The mount as browsers reach it. */
  public_url: () => string
  /** The 3DS Server's address for results: the only one that the Directory Server posts to. */
  results_url: () => string
  /** Where the 3DS Server's pages begin, with a slash at the end: the ACS sends browsers back to none but these. */
  pages_url: () => string
  /** What each call carries that the simulator makes. */
  headers: Record<string, string>
  signing_key: Buffer
}
