// All merchants of the installation, for its operators: those that they belong to, how to join the others, and a new one.

import { useState } from 'react'
import { useLocation } from 'wouter'
import type { ListedMerchant } from '../client/answers.ts'
import { useProgram } from '../client/program.ts'
import { useAnswer } from '../client/query.ts'
import { usePlace } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Name } from '../parts/name.tsx'
import { Screen } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say, sayCode } from '../words.ts'
import { MakeMerchant } from './make-merchant.tsx'

export function Merchants() {
  const [is_making, setMaking] = useState(false)
  const answer = useAnswer('GET /system/merchants', {})
  return (
    <Screen
      title={say('nav_merchants')}
      lead={say('merchants_lead')}
      acts={
        <Button look="primary" icon="plus" onClick={() => setMaking(true)}>
          {say('make_a_merchant')}
        </Button>
      }
    >
      <Loaded answer={answer}>
        {({ merchants, has_more }) =>
          merchants.length === 0 ? (
            <Empty title={say('no_merchants')} />
          ) : (
            <>
              <MerchantTable merchants={merchants} />
              {has_more && <p className="hint">{say('merchants_more')}</p>}
            </>
          )
        }
      </Loaded>
      {is_making && <MakeMerchant onClose={() => setMaking(false)} />}
    </Screen>
  )
}

function MerchantTable({ merchants }: { merchants: ListedMerchant[] }) {
  const { me } = usePlace()
  const [, navigate] = useLocation()
  const [joined, setJoined] = useState<ListedMerchant | null>(null)
  const roleAt = ({ merchant_id }: ListedMerchant) =>
    me.memberships.find((each) => each.merchant_id === merchant_id)?.role
  return (
    <>
      <Table
        label={say('nav_merchants')}
        rows={merchants}
        keyOf={({ merchant_id }) => merchant_id}
        columns={[
          {
            name: say('name'),
            kind: 'first',
            cell: ({ name, merchant_id }) => (
              <>
                <Name text={name} />
                <br />
                <code>{merchant_id}</code>
              </>
            ),
          },
          {
            name: say('mode'),
            kind: 'named',
            cell: ({ status, is_live }) =>
              status === 'suspended' ? say('merchant_suspended') : say(is_live ? 'live' : 'test'),
          },
          {
            name: say('your_role'),
            kind: 'named',
            cell: (merchant) => {
              const role = roleAt(merchant)
              return role ? sayCode('role', role) : say('none')
            },
          },
          {
            name: say('created'),
            kind: 'named',
            cell: ({ created_at }) => <Moment at={created_at} />,
          },
          {
            name: say('column_acts'),
            kind: 'acts',
            cell: (merchant) =>
              roleAt(merchant) ? (
                <Button
                  size="small"
                  onClick={() => navigate(`/${merchant.merchant_id}/${merchant.is_live ? 'live' : 'test'}/overview`)}
                >
                  {say('open_merchant')}
                </Button>
              ) : (
                <Button size="small" onClick={() => setJoined(merchant)}>
                  {say('how_to_join')}
                </Button>
              ),
          },
        ]}
      />
      {joined && <HowToJoin merchant={joined} onClose={() => setJoined(null)} />}
    </>
  )
}

/** Who sees a merchant's payments is for its owners to say, or for whoever has the server. */
function HowToJoin({ merchant, onClose }: { merchant: ListedMerchant; onClose: () => void }) {
  const { me } = usePlace()
  const { name, merchant_id } = merchant
  const program = useProgram()
  return (
    <Dialog title={say('join_merchant', { merchant: name })} onClose={onClose}>
      <p>{say('join_by_owner')}</p>
      <p>{say('join_by_command')}</p>
      <Copyable text={`${program} user link --email ${me.user.email} --merchant ${merchant_id} --role owner`} />
    </Dialog>
  )
}
