// What the set-up of connections needs of vendors: which there are, how one is asked, and where one may be.

import type { Wire } from '../vendors/wire.ts'
import type { KnownConnector } from './connectors.ts'
import type { JudgeApiUrl } from './judge-credentials.ts'

export type Vendors = {
  connectors: readonly KnownConnector[]
  wire: Wire
  judgeApiUrl: JudgeApiUrl
}
