// Which screen an address shows, inside a merchant and a mode, or for somebody without a merchant.

import type { ComponentType } from 'react'
import { Link, Redirect, Route, Switch } from 'wouter'
import { Account } from './account/account.tsx'
import { Audit } from './audit/audit.tsx'
import { useProgram } from './client/program.ts'
import { Connections } from './connections/connections.tsx'
import { Disputes } from './disputes/disputes.tsx'
import { opens, type ScreenName, screens } from './frame/screen-names.ts'
import { Holds } from './holds/holds.tsx'
import { Integrations } from './integrations/integrations.tsx'
import { Keys } from './keys/keys.tsx'
import { PaymentLink } from './links/link.tsx'
import { PaymentLinks } from './links/links.tsx'
import { usePlace } from './merchant.ts'
import { Merchants } from './merchants/merchants.tsx'
import { Operations } from './operations/operations.tsx'
import { Overview } from './overview/overview.tsx'
import { Empty } from './parts/empty.tsx'
import { Screen } from './parts/screen.tsx'
import { CustomerPayments } from './payment/customer.tsx'
import { Payment } from './payment/payment.tsx'
import { Payments } from './payments/payments.tsx'
import { Payout } from './payouts/payout.tsx'
import { Payouts } from './payouts/payouts.tsx'
import { AllRefunds } from './refunds/refunds.tsx'
import { Requests } from './requests/requests.tsx'
import { Session } from './sessions/session.tsx'
import { Sessions } from './sessions/sessions.tsx'
import { System } from './system/system.tsx'
import { Team } from './team/team.tsx'
import { Webhooks } from './webhooks/webhooks.tsx'
import { say, sayCode } from './words.ts'

const components: Record<ScreenName, ComponentType> = {
  overview: Overview,
  payments: Payments,
  holds: Holds,
  refunds: AllRefunds,
  disputes: Disputes,
  links: PaymentLinks,
  payouts: Payouts,
  sessions: Sessions,
  webhooks: Webhooks,
  requests: Requests,
  keys: Keys,
  integrations: Integrations,
  connections: Connections,
  team: Team,
  operations: Operations,
  audit: Audit,
  merchants: Merchants,
  system: System,
}

const at = (screen: string) => `/:merchant_id/:mode/${screen}`

export function Screens() {
  const { pathOf } = usePlace()
  return (
    <Switch>
      <Route path={at('payments/:payment_id')}>
        {(params: Record<string, string | undefined>) => (
          <Payment key={params.payment_id} payment_id={params.payment_id ?? ''} />
        )}
      </Route>
      <Route path={at('payments/:payment_id/customer')}>
        {(params: Record<string, string | undefined>) => (
          <CustomerPayments key={params.payment_id} payment_id={params.payment_id ?? ''} />
        )}
      </Route>
      <Route path={at('links/:payment_link_id')}>
        {(params: Record<string, string | undefined>) => (
          <PaymentLink key={params.payment_link_id} payment_link_id={params.payment_link_id ?? ''} />
        )}
      </Route>
      <Route path={at('payouts/:payout_id')}>
        {(params: Record<string, string | undefined>) => (
          <Payout key={params.payout_id} payout_id={params.payout_id ?? ''} />
        )}
      </Route>
      <Route path={at('sessions/:session_id')}>
        {(params: Record<string, string | undefined>) => (
          <Session key={params.session_id} session_id={params.session_id ?? ''} />
        )}
      </Route>
      {screens.map((name) => (
        <Route key={name} path={at(name)}>
          <Opened name={name} />
        </Route>
      ))}
      <Route path={at('account')} component={Account} />
      <Route>
        <Redirect replace to={pathOf('overview')} />
      </Route>
    </Switch>
  )
}

export function LobbyScreens() {
  const place = usePlace()
  return (
    <Switch>
      {screens.map((name) => (
        <Route key={name} path={`/${name}`}>
          {opens(place, name) ? <Opened name={name} /> : <NoMerchant />}
        </Route>
      ))}
      <Route path="/account" component={Account} />
      <Route path="/">{place.me.user.is_operator ? <Redirect replace to="/merchants" /> : <NoMerchant />}</Route>
      {/* No redirect: it may be the address of a merchant that this person is just becoming a member of. */}
      <Route>
        <NotThere />
      </Route>
    </Switch>
  )
}

/** A screen, or why it is not for this person. */
function Opened({ name }: { name: ScreenName }) {
  const place = usePlace()
  const Component = components[name]
  if (opens(place, name)) return <Component />
  const { membership } = place
  const is_for_role = membership !== null && name !== 'merchants' && name !== 'system'
  return (
    <Screen title={say(`nav_${name}`)}>
      <Empty
        title={
          is_for_role
            ? say('screen_of_other_roles', { role: sayCode('role', membership.role) })
            : say('screen_of_operators')
        }
      >
        {is_for_role && <p>{say('screen_of_other_roles_words', { merchant: membership.merchant_name })}</p>}
      </Empty>
    </Screen>
  )
}

/** An address of a merchant that this person does not belong to. */
export function NotThere() {
  const place = usePlace()
  if (place.membership === null && !place.me.user.is_operator) return <NoMerchant />
  const name = opens(place, 'merchants') ? 'merchants' : 'overview'
  return (
    <Screen title={say('not_found')}>
      <Empty title={say('not_found_words')}>
        <Link href={place.pathOf(name)}>{say(name === 'merchants' ? 'all_merchants' : 'to_overview')}</Link>
      </Empty>
    </Screen>
  )
}

function NoMerchant() {
  return (
    <Screen title={say('no_merchant')}>
      <Empty title={say('no_merchant_words', { program: useProgram() })} />
    </Screen>
  )
}
