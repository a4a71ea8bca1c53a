// One payment link: its address and QR code, what became of it, and the payments by it.

import { useState } from 'react'
import { usePages } from '../client/pages.ts'
import { useAct, useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Amount, amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Copyable } from '../parts/copy.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Id } from '../parts/id.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Moment } from '../parts/moment.tsx'
import { Older } from '../parts/older.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { PaymentTable } from '../payments/payment-table.tsx'
import { say } from '../words.ts'
import { LinkStatus, paidWords } from './link-state.tsx'

const rows_a_page = 50
const one_link = 'GET /{merchant_id}/payment_links/{payment_link_id}'
const concerned = [one_link, 'GET /{merchant_id}/payment_links'] as const

export function PaymentLink({ payment_link_id }: { payment_link_id: string }) {
  const { merchant_id, may } = useHere()
  const [is_ending, setEnding] = useState(false)
  const answer = useAnswer(one_link, { merchant_id, payment_link_id })
  const pages = usePages(`${one_link}/payments`, { merchant_id, payment_link_id, query: { limit: rows_a_page } })
  const link = answer.data
  return (
    <Screen
      title={link ? amountWords(link.amount, link.currency) : say('payment_link')}
      lead={link?.description && <bdi>{link.description}</bdi>}
      acts={
        link &&
        link.status !== 'disabled' &&
        may('create_payments') && <Button onClick={() => setEnding(true)}>{say('link_withdraw')}</Button>
      }
    >
      <Loaded answer={answer} rows={6}>
        {(shown) => (
          <>
            {shown.status === 'active' && <Address url={shown.url} qr={shown.qr} id={shown.id} />}
            <Section title={say('facts')}>
              <Facts
                rows={[
                  [say('column_status'), <LinkStatus key="status" status={shown.status} />],
                  [say('column_amount'), <Amount key="amount" amount={shown.amount} currency={shown.currency} />],
                  [say('nav_payments'), paidWords(shown)],
                  [say('column_order'), shown.order_reference],
                  [say('created'), <Moment key="created" at={shown.created_at} />],
                  [say('link_ends'), shown.expires_at && <Moment key="ends" at={shown.expires_at} />],
                  [say('payment_link'), <Id key="id" id={shown.id} />],
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
      <Section title={say('nav_payments')}>
        <Loaded answer={pages.answer} rows={3}>
          {(payments) =>
            payments.length > 0 ? <PaymentTable payments={payments} /> : <Empty title={say('no_payments_of_link')} />
          }
        </Loaded>
      </Section>
      <Older pages={pages} />
      {is_ending && <Withdraw payment_link_id={payment_link_id} onClose={() => setEnding(false)} />}
    </Screen>
  )
}

/** The address to copy, and its QR code to show, save or print. */
function Address({ url, qr: { size, path }, id }: { url: string; qr: { size: number; path: string }; id: string }) {
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${8 * size}" height="${8 * size}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
  const file = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(drawing)}`
  return (
    <div className="link-address">
      <img className="qr" src={file} alt={say('qr_code')} />
      <div>
        <Copyable text={url} label={say('payment_link')} />
        <p className="acts start">
          <a className="button quiet" href={file} download={`${id}.svg`}>
            {say('qr_save')}
          </a>
          <Button onClick={() => window.print()}>{say('print')}</Button>
        </p>
      </div>
    </div>
  )
}

function Withdraw({ payment_link_id, onClose }: { payment_link_id: string; onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/payment_links/{payment_link_id}/disable', [...concerned])
  return (
    <Dialog title={say('link_withdraw')} onClose={onClose} is_busy={act.isPending}>
      <p>{say('link_withdraw_words')}</p>
      <RefusalAlert refused={act.error} />
      <DialogActs>
        <Button is_busy={act.isPending} onClick={onClose}>
          {say('cancel')}
        </Button>
        <Button
          look="danger"
          is_busy={act.isPending}
          onClick={() => act.mutate({ merchant_id, payment_link_id, body: {} }, { onSuccess: onClose })}
        >
          {say('link_withdraw')}
        </Button>
      </DialogActs>
    </Dialog>
  )
}
