// Whose page this is, and the way to another: to the merchants of the person, and for an operator to the list of all.

import { useLocation } from 'wouter'
import { usePlace } from '../merchant.ts'
import { Name } from '../parts/name.tsx'
import { say } from '../words.ts'

export function MerchantChooser() {
  const place = usePlace()
  const name = place.membership?.merchant_name ?? say('product')
  const letter = [...name][0]?.toLocaleUpperCase() ?? ''
  const { memberships, user } = place.me
  return (
    <section className="merchant" aria-label={say('merchant')}>
      <span className="monogram" aria-hidden="true">
        {letter}
      </span>
      {place.membership && (memberships.length > 1 || user.is_operator) ? (
        <Chooser merchant_id={place.merchant_id} mode={place.mode} />
      ) : (
        <span className="merchant-name">
          <Name text={name} />
        </span>
      )}
    </section>
  )
}

function Chooser({ merchant_id, mode }: { merchant_id: string; mode: string }) {
  const { me, pathOf } = usePlace()
  const [, navigate] = useLocation()
  return (
    <select
      aria-label={say('merchant')}
      value={merchant_id}
      onChange={({ target }) =>
        navigate(target.value === '' ? pathOf('merchants') : `/${target.value}/${mode}/overview`)
      }
    >
      {me.memberships.map((each) => (
        <option key={each.merchant_id} value={each.merchant_id}>
          {each.merchant_name}
        </option>
      ))}
      {me.user.is_operator && <option value="">{say('all_merchants')}</option>}
    </select>
  )
}
