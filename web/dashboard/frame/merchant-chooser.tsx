// Whose page this is; where a person belongs to several merchants, the way to another.

import { useLocation } from 'wouter'
import { useHere } from '../merchant.ts'
import { Name } from '../parts/name.tsx'
import { say } from '../words.ts'

export function MerchantChooser() {
  const { me, membership, mode } = useHere()
  const [, navigate] = useLocation()
  const letter = [...membership.merchant_name][0]?.toLocaleUpperCase() ?? ''
  return (
    <section className="merchant" aria-label={say('merchant')}>
      <span className="monogram" aria-hidden="true">
        {letter}
      </span>
      {me.memberships.length > 1 ? (
        <select
          aria-label={say('merchant')}
          value={membership.merchant_id}
          onChange={(event) => navigate(`/${event.target.value}/${mode}/overview`)}
        >
          {me.memberships.map(({ merchant_id, merchant_name }) => (
            <option key={merchant_id} value={merchant_id}>
              {merchant_name}
            </option>
          ))}
        </select>
      ) : (
        <span className="merchant-name">
          <Name text={membership.merchant_name} />
        </span>
      )}
    </section>
  )
}
