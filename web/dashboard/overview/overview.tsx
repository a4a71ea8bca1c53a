// The first screen of the day: what waits, today against the same weekday, how payments end, and how webhooks fare.

import { useState } from 'react'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Choice } from '../parts/field.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Screen } from '../parts/screen.tsx'
import { zone } from '../parts/zone.ts'
import { locale, say } from '../words.ts'
import { CapturedInSpan, CapturedToday } from './captured.tsx'
import { Declines } from './declines.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SuccessRate } from './success-rate.tsx'
import { ThreeDs } from './three-ds.tsx'
import { Waits } from './waits.tsx'
import { WebhookHealth } from './webhook-health.tsx'

const spans = ['7', '30', '90', 'this_month', 'last_month'] as const

function spanWords(span: (typeof spans)[number]): string {
  return span === 'this_month' || span === 'last_month' ? say(span) : say('span_days', { days: Number(span) })
}

export function Overview() {
  const { merchant_id, mode } = useHere()
  const [span, setSpan] = useState<(typeof spans)[number]>('30')
  const answer = useAnswer(
    'GET /{merchant_id}/overview',
    { merchant_id, query: { mode, zone, span } },
    { every_ms: 60_000 },
  )
  return (
    <Screen
      title={say('nav_overview')}
      lead={new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: zone }).format()}
      acts={
        <Choice
          label={say('span')}
          value={span}
          options={spans.map((each) => ({ value: each, text: spanWords(each) }))}
          onChange={({ target }) => setSpan(target.value as typeof span)}
        />
      }
    >
      <Loaded answer={answer}>
        {(found) => {
          const is_new =
            !found.steps.has_payment &&
            [...found.days, found.span_before].every(({ sessions, captured }) => sessions + captured === 0)
          return (
            <>
              <Waits waits={found.waits} />
              <FirstSteps steps={found.steps} />
              {!is_new && (
                <div className="plots">
                  <CapturedToday overview={found} />
                  <CapturedInSpan captured={found.captured} days={found.days} />
                  <SuccessRate days={found.days} before={found.span_before} zone={found.zone} />
                  <Declines declines={found.declines} days={found.days} />
                  <ThreeDs counts={found.three_ds} days={found.days} />
                  <WebhookHealth health={found.webhooks} />
                </div>
              )}
            </>
          )
        }}
      </Loaded>
    </Screen>
  )
}
