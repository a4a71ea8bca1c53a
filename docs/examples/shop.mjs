// A shop with Express in one file: orders, their payment, the webhook, the page of thanks.
// What the maps and the set hold here is in tables in your shop.

import { randomBytes, randomUUID } from 'node:crypto'
import { Ripper, SignatureError, verifyWebhook } from '@ripper/node'
import express from 'express'

const base_url = process.env.RIPPER_BASE_URL
const ripper = new Ripper(process.env.RIPPER_SECRET_KEY, { base_url })
const app = express()

const orders = new Map() // by their id
const baskets = new Map() // the order of each basket: unique
const events = new Set() // the ids of events: unique

/** One order a basket. A reload, Back and a second tab find it again, because they have the basket's cookie. */
function orderOf(basket) {
  const known = baskets.get(basket)
  if (known) return known
  const order = {
    id: `W-${randomBytes(6).toString('hex')}`,
    amount: 4200,
    currency: 'GBP',
    tries: 0,
    sessions: new Set(),
    payments: new Map(),
  }
  orders.set(order.id, order)
  baskets.set(basket, order)
  return order
}

function basketOf(req) {
  return /(?:^|; )basket=([\w-]{36})/.exec(req.headers.cookie ?? '')?.[1]
}

function stateOf({ payments }) {
  const states = [...payments.values()]
  return ['captured', 'held'].find((state) => states.includes(state)) ?? 'open'
}

/** The session that pays the order; the next one only after the last has ended without a payment. */
async function sessionOf(order) {
  for (;;) {
    const { tries } = order
    const session = await ripper.checkout.sessions.create(
      { amount: order.amount, currency: order.currency, order_reference: order.id },
      { idempotency_key: `${order.id}-${tries}` },
    )
    order.sessions.add(session.id)
    // A repeated key gets the first answer, even if that session has ended since. So read how it is now.
    const { status, hold } = await ripper.checkout.sessions.retrieve(session.id)
    const has_ended = status === 'expired' || status === 'declined' || hold?.status === 'voided'
    if (!has_ended) return session
    // Not `+= 1`: two requests at once must go on to the same try.
    order.tries = tries + 1
  }
}

/** Notes what became of a payment: from the webhook or from a read, whichever is first. It may come twice, or late. */
function note(payment_id, { order_reference, checkout_session_id, status }) {
  const order = orders.get(order_reference)
  // A page that has your publishable key can name any order in a session of its own. Such a payment pays no order.
  if (!order?.sessions.has(checkout_session_id)) {
    if (status === 'captured') console.error(`${order_reference}: ${payment_id} is not of a session of ours`)
    return
  }
  const before = order.payments.get(payment_id)
  if (before === status || before === 'captured' || before === 'voided') return
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
  const order = baskets.get(basketOf(req))
  // What was paid is over: the next basket gets an order of its own.
  if (!basketOf(req) || (order && stateOf(order) !== 'open')) {
    const secure = process.env.NODE_ENV === 'production'
    res.cookie('basket', randomUUID(), { httpOnly: true, sameSite: 'lax', secure })
  }
  res.send(page('<p>One stoneware teapot, £42.00.</p><p><a href="/pay">Check out</a></p>'))
})

app.get('/pay', (req, res) => {
  if (!basketOf(req)) return res.redirect('/')
  const order = baskets.get(basketOf(req))
  if (order && stateOf(order) !== 'open') return res.redirect('/thanks')
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
  const order = baskets.get(basketOf(req))
  if (!order) return res.redirect('/')
  // The shopper may be faster than the webhook. Ask the service, never the browser.
  for (const id of order.sessions) {
    const { payment_id } = await ripper.checkout.sessions.retrieve(id)
    if (payment_id) note(payment_id, await ripper.payments.retrieve(payment_id))
  }
  const words = {
    captured: `Thank you. Order ${order.id} is paid, and we are packing it.`,
    held: `Thank you. We look at order ${order.id}, then confirm it. Nothing is taken before that.`,
    open: `Order ${order.id} is not paid yet. <a href="/pay">Pay</a>`,
  }
  res.set('Cache-Control', 'no-store')
  res.send(page(`<p>${words[stateOf(order)]}</p><p><a href="/">Back to the shop</a></p>`))
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

app.listen(4000)
