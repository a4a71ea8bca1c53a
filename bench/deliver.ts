// Webhooks: from the commit of an event to the whole of its body at a receiver.

import { deliverClaims } from './deliver-claims.ts'
import { deliverFlatOut } from './deliver-flat-out.ts'
import { deliverHanging } from './deliver-hanging.ts'
import { deliverRates } from './deliver-rates.ts'
import { withStage } from './deliver-stage.ts'
import type { Table } from './report.ts'

export async function deliver({ quick }: { quick: boolean }): Promise<Table[]> {
  const short = { lead_seconds: 0.5, seconds: 2 }
  const long = { lead_seconds: 3, seconds: 20 }
  return withStage(async (stage) => [
    ...(await deliverRates(stage, quick ? short : long)),
    ...(await deliverHanging(stage, quick ? { ...short, lead_seconds: 2 } : long)),
    ...(await deliverClaims(stage)),
    ...(await deliverFlatOut(stage, quick ? { turns: 2, count: 3_000 } : { turns: 5, count: 20_000 })),
  ])
}
