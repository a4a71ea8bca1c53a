// Payment links, newest first, and making one.

import { useState } from 'react'
import type { PaymentLink } from '../client/answers.ts'
import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Screen } from '../parts/screen.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { say } from '../words.ts'
import { CreateLink } from './create-link.tsx'
import { LinkStatus, paidWords } from './link-state.tsx'

const rows_a_page = 50

export function PaymentLinks() {
  const { merchant_id, mode, may, pathOf } = useHere()
  const [is_open, setOpen] = useState(false)
  const pages = usePages('GET /{merchant_id}/payment_links', { merchant_id, query: { mode, limit: rows_a_page } })
  const newest = pages.answer.data?.[0]
  return (
    <Screen
      title={say('nav_links')}
      acts={
        may('create_payments') && (
          <Button look="primary" onClick={() => setOpen(true)}>
            {say('new_link')}
          </Button>
        )
      }
    >
      <Loaded answer={pages.answer} rows={10}>
        {(links) =>
          links.length > 0 ? (
            <Table
              label={say('nav_links')}
              columns={columns}
              rows={links}
              keyOf={({ id }) => id}
              hrefOf={({ id }) => pathOf(`links/${id}`)}
            />
          ) : (
            <Empty title={say('no_links')}>
              <p>{say('no_links_words')}</p>
            </Empty>
          )
        }
      </Loaded>
      <Older pages={pages} />
      {is_open && <CreateLink currency={newest?.currency ?? ''} onClose={() => setOpen(false)} />}
    </Screen>
  )
}

const columns: Column<PaymentLink>[] = [
  {
    name: say('column_time'),
    kind: 'second',
    cell: ({ created_at, amount, currency }) => (
      <>
        <Moment at={created_at} />
        <span className="unseen">, {amountWords(amount, currency)}</span>
      </>
    ),
  },
  {
    name: say('column_amount'),
    kind: 'figure',
    cell: ({ amount, currency }) => <Amount amount={amount} currency={currency} />,
  },
  { name: say('column_status'), cell: ({ status }) => <LinkStatus status={status} /> },
  { name: say('nav_payments'), kind: 'figure', cell: paidWords },
  {
    name: say('link_description'),
    kind: 'first',
    cell: ({ description, order_reference }) => {
      const text = description ?? order_reference
      return (
        <span className={text ? 'short' : 'nothing'} dir="auto">
          {text ?? '–'}
        </span>
      )
    },
  },
]
