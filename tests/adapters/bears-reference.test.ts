// Whether a payment that a person names by the vendor's id is the one that bears our reference. Adyen shows no payments.

import { expect, test } from 'vitest'
import { authoriseRequest } from './acquirer-requests.ts'
import { openAdyenUnderTest } from './fakes/adyen/under-test.ts'
import { openCheckoutUnderTest } from './fakes/checkout/under-test.ts'
import { openStripeUnderTest } from './fakes/stripe/under-test.ts'

const number = '4242424242424242'
const theirs = 'f'.repeat(32)

const vendors = {
  async checkout() {
    const { acquirer, fake } = await openCheckoutUnderTest()
    return { acquirer, fake, payments: fake.books.payments, unknown_id: 'pay_unknown' }
  },
  async stripe() {
    const { acquirer, fake, openWith } = await openStripeUnderTest()
    const { bearsReference } = openWith({})
    const named = { ...acquirer, bearsReference: bearsReference! }
    return { acquirer: named, fake, payments: fake.books.intents, unknown_id: 'pi_unknown' }
  },
}

test.each(Object.keys(vendors) as (keyof typeof vendors)[])('%s', async (name) => {
  const { acquirer, fake, payments, unknown_id } = await vendors[name]()
  const bears = (reference: string, id: string) => acquirer.bearsReference!(id, reference)
  const request = authoriseRequest(number)
  await acquirer.authorise(request)
  const [payment] = payments
  const { id, metadata } = payment!
  expect(await bears(request.reference, id)).toBe(true)
  expect(await bears(theirs, id)).toBe(false)
  expect(await bears(request.reference, unknown_id)).toBe(false)
  metadata.ripper_installation = 'another'
  expect(await bears(request.reference, id)).toBe(false)
  fake.next('unauthorised', 'ask')
  await expect(bears(request.reference, id)).rejects.toThrow('401')
})

test('adyen', async () => {
  expect((await openAdyenUnderTest()).acquirer.bearsReference).toBeUndefined()
})
