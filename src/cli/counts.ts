// `ripper counts rebuild`: counts the journal anew for the overview of the dashboard.

import { type Recount, recount } from '../dashboard/overview/recount.ts'
import { listCounted } from '../dashboard/overview/recount-store.ts'
import { cellOf } from '../database/cells/cells.ts'
import { everyMerchantOption, merchantNamed, withCommandContext } from './command-context.ts'
import { command } from './terminal/option.ts'
import { printJson, printLine } from './terminal/print.ts'

export const countsRebuild = command({
  name: 'counts rebuild',
  summary: "Counts the journal anew for the dashboard's overview",
  options: { merchant: { ...everyMerchantOption, meaning: 'only this one; all where left out' } },
  remarks: [
    'The service counts by itself, so this is needed only where somebody changed the counts. It may run meanwhile: each\n' +
      'quarter of an hour is a short transaction.',
    'Of quarters from which unpaid sessions were purged, the counts of 3-D Secure stay as they are.',
  ],
  async run({ options: { merchant }, json }) {
    const done = await withCommandContext(async ({ sql }) => {
      const merchant_id = await merchantNamed(sql, merchant)
      const merchants = merchant_id === null ? await listCounted(sql) : [merchant_id]
      const recounts: Recount[] = []
      for (const each of merchants) recounts.push(await recount(await cellOf(sql, each), each))
      return recounts
    })
    if (json) {
      printJson({ recounts: done })
      return
    }
    if (done.length === 0) printLine('Nothing was counted yet.')
    for (const each of done) printLine(wordsOf(each))
  },
})

function wordsOf({ merchant_id, counts, corrected }: Recount): string {
  return `${merchant_id}: counts gone through: ${counts}, corrected: ${corrected}.`
}
