// What the set-up of connections needs to know about vendors: which exist, how to check one, and which addresses are
// allowed.

import type { Wire } from '../vendor-wire/wire.ts'
import type { KnownConnector } from './connectors.ts'
import type { JudgeApiUrl } from './judge-credentials.ts'

export type Vendors = {
  connectors: readonly KnownConnector[]
  wire: Wire
  judgeApiUrl: JudgeApiUrl
}
