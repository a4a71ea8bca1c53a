// The first screen of the day: what waits, today against the same weekday, how payments end, and how webhooks fare.

import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Screen } from '../parts/screen.tsx'
import { locale, say } from '../words.ts'
import { CapturedToday } from './captured-today.tsx'
import { Declines } from './declines.tsx'
import { FirstSteps } from './first-steps.tsx'
import { SuccessRate } from './success-rate.tsx'
import { ThreeDs } from './three-ds.tsx'
import { Waits } from './waits.tsx'
import { WebhookHealth } from './webhook-health.tsx'

const zone = usableZone()

/** Where a browser does not know its own zone, it says one that it cannot use: `Etc/Unknown`. */
function usableZone(): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  try {
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

export function Overview() {
  const { merchant_id, mode } = useHere()
  const answer = useAnswer(
    'GET /{merchant_id}/overview',
    { merchant_id, query: { mode, zone } },
    { every_ms: 60_000 },
  )
  return (
    <Screen
      title={say('nav_overview')}
      lead={new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeZone: zone }).format()}
    >
      <Loaded answer={answer}>
        {(found) => {
          const is_new = found.days.every(({ sessions, captured }) => sessions + captured === 0)
          return (
            <>
              <Waits waits={found.waits} />
              <FirstSteps steps={found.steps} />
              {!is_new && (
                <div className="plots">
                  <CapturedToday overview={found} />
                  <SuccessRate days={found.days} zone={found.zone} />
                  <Declines declines={found.declines} />
                  <ThreeDs counts={found.three_ds} />
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
