// A shop with Express in one file: baskets, orders, their payment, the webhook, the page of thanks.
// What the maps and the set hold here is in tables in your shop.

import { randomBytes, randomUUID } from 'node:crypto'
import { Ripper, SignatureError, verifyWebhook } from '@ripper/node'
import express from 'express'

const base_url = process.env.RIPPER_BASE_URL
const ripper = new Ripper(process.env.RIPPER_SECRET_KEY, { base_url })
const app = express()

const orders = new Map() // by their id
const baskets = new Map() // by their cookie: what is in them, and their order, which is unique
const events = new Set() // the ids of events: unique

/** One order a basket. A reload, Back and a second tab find it again, because they have the basket's cookie. */
function orderOf(basket) {
  basket.order ??= newOrder(basket)
  const { order } = basket
  // The basket has changed since. A session never changes its amount, so the next try has a session of its own.
  if (!isOver(basket) && order.amount !== totalOf(basket)) {
    order.amount = totalOf(basket)
    order.tries += 1
  }
  return order
}

function newOrder(basket) {
  const order = {
    id: `W-${randomBytes(6).toString('hex')}`,
    amount: totalOf(basket),
    currency: 'GBP',
    tries: 0,
    sessions: new Set(),
    payments: new Map(),
  }
  orders.set(order.id, order)
  return order
}

const totalOf = ({ cups }) => 4200 + 950 * cups

function basketOf(req) {
  const [, id] = /(?:^|; )basket=([\w-]{36})/.exec(req.headers.cookie ?? '') ?? []
  if (id && !baskets.has(id)) baskets.set(id, { cups: 0, order: null })
  return baskets.get(id)
}

function stateOf({ payments }) {
  const states = [...payments.values()]
  return ['captured', 'held', 'pending'].find((state) => states.includes(state)) ?? 'open'
}

/** What was paid stays as it was; the next basket gets an order of its own. */
const isOver = ({ order }) => order !== null && stateOf(order) !== 'open'

/** The session that pays the order; the next one only after the last has ended without a payment. */
async function sessionOf(order) {
  for (;;) {
    const { tries, amount, currency } = order
    const session = await ripper.checkout.sessions.create(
      { amount, currency, order_reference: order.id },
      { idempotency_key: `${order.id}-${tries}` },
    )
    order.sessions.add(session.id)
    // A repeated key gets the first answer, even if that session has ended since. So read how it is now.
    const { status, hold } = await ripper.checkout.sessions.retrieve(session.id)
    const has_ended = status === 'expired' || status === 'declined' || hold?.status === 'voided'
    if (!has_ended) return session
    // Two requests at once must go on to the same try.
    if (order.tries === tries) order.tries += 1
  }
}

/** Notes what became of a payment: from the webhook or from a read, whichever is first. It may come twice, or late. */
function note(payment_id, payment) {
  const { order_reference, checkout_session_id, status, amount, currency } = payment
  const order = orders.get(order_reference)
  // A page that has your publishable key can name any order in a session of its own. Such a payment pays no order.
  if (!order?.sessions.has(checkout_session_id)) {
    if (status === 'captured') console.error(`${order_reference}: ${payment_id} is not of a session of ours`)
    return
  }
  const before = order.payments.get(payment_id)
  if (before === status || ['captured', 'voided', 'other_amount'].includes(before)) return
  // An old tab can still pay what the basket cost before. The order stays open, and that payment goes back.
  if (status === 'captured' && (amount !== order.amount || currency !== order.currency)) {
    order.payments.set(payment_id, 'other_amount')
    const costs = `it costs ${order.currency} ${order.amount}`
    console.error(`${order.id}: paid ${currency} ${amount}, ${costs}: refund ${payment_id}`)
    return
  }
  order.payments.set(payment_id, status)
  if (status !== 'captured') return
  const captured = [...order.payments.values()].filter((each) => each === 'captured').length
  if (captured === 1) console.log(`${order.id}: paid, ship it`)
  else console.error(`${order.id}: paid ${captured} times, refund ${payment_id}`)
}

// Before any express.json(): the signature is over the bytes. An event with a big basket has more than Express's 100 kB.
app.post('/hooks', express.raw({ type: 'application/json', limit: '1mb' }), (req, res) => {
  try {
    const event = verifyWebhook(req.body, req.headers, process.env.RIPPER_WEBHOOK_SECRET)
    if (!events.has(event.id)) note(event.data.payment_id, event.data)
    events.add(event.id)
    res.sendStatus(204)
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error
    res.status(400).send(error.message)
  }
})

app.get('/', (req, res) => {
  let basket = basketOf(req)
  if (!basket || isOver(basket)) {
    basket = { cups: 0, order: null }
    const id = randomUUID()
    baskets.set(id, basket)
    const secure = process.env.NODE_ENV === 'production'
    res.cookie('basket', id, { httpOnly: true, sameSite: 'lax', secure })
  }
  res.set('Cache-Control', 'no-store')
  res.send(
    page(`<p>A stoneware teapot, £42.00, and cups, £9.50 each: ${basket.cups}</p>
<p>Total: £${(totalOf(basket) / 100).toFixed(2)}</p>
<form method="post" action="/cups"><button>Add a cup</button></form>
<p><a href="/pay">Check out</a></p>`),
  )
})

app.post('/cups', (req, res) => {
  const basket = basketOf(req)
  if (basket && !isOver(basket)) basket.cups += 1
  res.redirect(303, '/')
})

app.get('/pay', (req, res) => {
  const basket = basketOf(req)
  if (!basket) return res.redirect('/')
  if (isOver(basket)) return res.redirect('/thanks')
  res.send(
    page(`<script src="${base_url}/checkout.js"></script>
<div id="pay"></div>
<p id="again" hidden><a href="/pay">Start again</a></p>
<script type="module">
  const pay = document.querySelector('#pay')
  const again = document.querySelector('#again')
  const answer = await fetch('/order', { method: 'POST' })
  if (answer.ok) {
    const { client_secret } = await answer.json()
    const ripper = await Ripper.loadCheckout('${process.env.RIPPER_PUBLISHABLE_KEY}')
    const checkout = ripper.checkout({ clientSecret: client_secret })
    // Back does not lead to this page again.
    checkout.on('complete', () => location.replace('/thanks'))
    checkout.on('expired', () => (again.hidden = false))
    checkout.on('decline', ({ attempts_left }) => (again.hidden = attempts_left > 0))
    checkout.mount(pay)
  } else {
    pay.textContent = 'The payment could not be started. Nothing was taken.'
    again.hidden = false
  }
</script>`),
  )
})

/** A POST, because it creates. The cookie is SameSite, so that no other site's page can send it. */
app.post('/order', async (req, res) => {
  const basket = basketOf(req)
  if (!basket) return res.sendStatus(400)
  const { client_secret } = await sessionOf(orderOf(basket))
  res.json({ client_secret })
})

app.get('/thanks', async (req, res) => {
  const order = basketOf(req)?.order
  if (!order) return res.redirect('/')
  // The shopper may be faster than the webhook. Ask the service, never the browser.
  for (const id of order.sessions) {
    const { payment_id } = await ripper.checkout.sessions.retrieve(id)
    if (payment_id) note(payment_id, await ripper.payments.retrieve(payment_id))
  }
  const words = {
    captured: `Thank you. Order ${order.id} is paid, and we are packing it.`,
    held: `Thank you. We look at order ${order.id}, then confirm it. Nothing is taken before that.`,
    pending: `Thank you. Your bank has not answered yet for order ${order.id}. Please do not pay again.`,
    open: `Order ${order.id} is not paid yet. <a href="/pay">Pay</a>`,
  }
  const goes_back = [...order.payments.values()].includes('other_amount')
  const also = goes_back ? '<p>You paid before your basket changed. You get that payment back.</p>' : ''
  res.set('Cache-Control', 'no-store')
  res.send(page(`<p>${words[stateOf(order)]}</p>${also}<p><a href="/">Back to the shop</a></p>`))
})

function page(body) {
  return `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>A shop</title>
<link rel="icon" href="data:,">
<body style="max-width: 30rem; margin: 2rem auto; padding: 0 1rem; font-family: system-ui">
<h1>A shop</h1>
${body}`
}

const server = app.listen(process.env.PORT ?? 4000, () => {
  console.log(`The shop is at http://localhost:${server.address().port}`)
})
