// Several clients at one session at once, who confirm, read, decide and try other cards: what histories have to be judged for.

import { browser, cardOf } from '../../tests/support/client.ts'
import { askOnce } from './asking.ts'
import type { DiaryAnswer } from './diary.ts'
import { decideBy, keepResult, type Life } from './life.ts'
import { cardFrom, type Opened, readingPayment, readingSession, readingState, stepOf } from './requests.ts'

const clients = 3
const requests = { least: 3, more: 4 }

/** What the clients have heard of the session's payment. */
type PaymentNews = { payment_id: string | null; is_held: boolean }

/** Begins once the session has an attempt that may be confirmed. */
export async function crowd(life: Life, opened: Opened): Promise<void> {
  const heard: PaymentNews = { payment_id: null, is_held: false }
  const acting = Array.from({ length: clients }, async (_, number) => {
    const chance = life.chance.fork(`client ${number}`)
    const client = { ...life, chance, name: `${life.name}/${number}` }
    const count = requests.least + chance.below(requests.more)
    await act(client, opened, heard, 'confirm')
    for (let asked = 1; asked < count; asked += 1) {
      await act(client, opened, heard, chance.pick(actions))
    }
  })
  await Promise.all(acting)
}

const actions = [
  ...(['confirm', 'read_state', 'read_state', 'read_session', 'read_session'] as const),
  ...(['read_payment', 'decide', 'decide', 'other_card'] as const),
]

/** Asks once: what is not answered stays open. */
async function act(client: Life, opened: Opened, heard: PaymentNews, action: (typeof actions)[number]): Promise<void> {
  const { chance, name, shop, diary } = client
  switch (action) {
    case 'confirm': {
      const said = await askOnce(client, name, stepOf(opened, 'confirm', {}), chance)
      keepResult(diary, said)
      return hear(heard, said)
    }
    case 'read_state':
      await askOnce(client, name, readingState(opened), chance)
      return
    case 'read_session':
      await askOnce(client, name, readingSession(shop, opened), chance)
      return
    case 'read_payment':
      if (heard.payment_id === null) return
      await askOnce(client, name, readingPayment(shop, heard.payment_id), chance)
      return
    case 'decide':
      if (heard.payment_id === null || !heard.is_held) return
      return decideBy(client, heard.payment_id, chance.pick(['capture', 'void'] as const))
    case 'other_card':
      return tryOtherCard(client, opened)
  }
}

function hear(heard: PaymentNews, { status, body }: DiaryAnswer): void {
  if (status !== 200) return
  heard.payment_id = body.payment_id
  heard.is_held = body.status === 'held'
}

async function tryOtherCard(client: Life, opened: Opened): Promise<void> {
  const { chance, name } = client
  const card = cardOf(cardFrom(chance, client.loses_answers))
  const referenced = await askOnce(client, name, stepOf(opened, 'card_references', card), chance)
  if (referenced.status !== 201) return
  const { card_reference } = referenced.body
  const body = { card_reference, browser }
  await askOnce(client, name, stepOf(opened, 'authenticate', body), chance)
}
