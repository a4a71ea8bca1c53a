// Which screen an address shows, inside a merchant and a mode.

import { Redirect, Route, Switch } from 'wouter'
import { Account } from './account/account.tsx'
import { Audit } from './audit/audit.tsx'
import { Connections } from './connections/connections.tsx'
import { Holds } from './holds/holds.tsx'
import { Integrations } from './integrations/integrations.tsx'
import { Keys } from './keys/keys.tsx'
import { useHere } from './merchant.ts'
import { Operations } from './operations/operations.tsx'
import { Overview } from './overview/overview.tsx'
import { Payment } from './payment/payment.tsx'
import { Payments } from './payments/payments.tsx'
import { Requests } from './requests/requests.tsx'
import { Sessions } from './sessions/sessions.tsx'
import { System } from './system/system.tsx'
import { Team } from './team/team.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'

const at = (screen: string) => `/:merchant_id/:mode/${screen}`

export function Screens() {
  const { pathOf } = useHere()
  return (
    <Switch>
      <Route path={at('overview')} component={Overview} />
      <Route path={at('payments')} component={Payments} />
      <Route path={at('payments/:payment_id')}>
        {(params: Record<string, string | undefined>) => (
          <Payment key={params.payment_id} payment_id={params.payment_id ?? ''} />
        )}
      </Route>
      <Route path={at('holds')} component={Holds} />
      <Route path={at('sessions')} component={Sessions} />
      <Route path={at('webhooks')} component={Webhooks} />
      <Route path={at('requests')} component={Requests} />
      <Route path={at('keys')} component={Keys} />
      <Route path={at('integrations')} component={Integrations} />
      <Route path={at('connections')} component={Connections} />
      <Route path={at('team')} component={Team} />
      <Route path={at('operations')} component={Operations} />
      <Route path={at('audit')} component={Audit} />
      <Route path={at('system')} component={System} />
      <Route path={at('account')} component={Account} />
      <Route>
        <Redirect replace to={pathOf('overview')} />
      </Route>
    </Switch>
  )
}
