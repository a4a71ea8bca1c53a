// For how long sessions without a payment are kept: whoever looks for one that is gone must learn why.

import type { Me, Mode } from '../client/answers.ts'
import { locale, say } from '../words.ts'

export function keptWords({ me, mode }: { me: Me; mode: Mode }): string {
  return say('sessions_kept', { days: inDays.format(me.unpaid_days[mode]) })
}

const inDays = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' })
