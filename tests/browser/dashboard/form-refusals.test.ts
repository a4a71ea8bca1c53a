// Every form of the dashboard, refused: the words stand at the field that the refusal names, which has the focus, and the id of the
// request is one press away. What no field of the form is to blame for stands at its head.

import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { hasFocus, newShopper, picture } from '../shopper.ts'
import { openPlayed } from './played.ts'
import * as samples from './samples.ts'
import { refuse, type StandIn } from './stand-in.ts'

const { browser, standIn } = await openPlayed()

const place = `${samples.merchant_id}/test`

type Row = {
  path: string
  /** What comes before the form can be sent. */
  fill: (page: Page) => Promise<unknown>
  /** The button that sends it. */
  press: string
  route: string
  fault: { field: string; fault?: string; bound?: number; payment_id?: string }
  /** The field by its label, and what is said there. */
  at: string
  says: string
  /** Where a link below the field leads. */
  leads_to?: string
  answers?: Record<string, Parameters<StandIn['on']>[1]>
  status?: number
  code?: string
}

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).first().click()
const type = (page: Page, label: string, text: string) => page.getByLabel(label, { exact: true }).fill(text)

const captured = {
  ...samples.held,
  status: 'captured',
  hold: null,
  permitted: ['refund'],
  refunded_amount: 0,
  refund_max: 4200,
}
const failure = { code: 'refund_refused', reason: 'The issuer refused the refund' }
const owed = { status: 'failed', failure, amount: 513, owed_amount: 513 }
const stranger = { 'GET /me': () => refuse(401, 'sign_in_required') }
const link = {
  ...stranger,
  'POST /links/read': () => ({
    body: {
      purpose: 'welcome',
      email: null,
      name: null,
      merchant_name: 'Tea & Sons',
      role: 'owner',
      is_operator: false,
      account_exists: false,
      expires_at: samples.ago(-60),
    },
  }),
}
const asksCode = {
  'POST /payments/pay/hold/capture': () => refuse(403, 'proof_required', { accepted: ['one_time_code'] }),
}
const account = { ...samples.account, passkeys: [], has_one_time_codes: false }

const rows: Record<string, Row> = {
  'a new password': {
    path: `${place}/account`,
    fill: async (page) => {
      await page.getByRole('button', { name: /^(Set a|Change the) password$/ }).click()
      await type(page, 'Password', 'tea and biscuits')
    },
    press: 'Save',
    route: 'POST /me/password',
    fault: { field: 'password', fault: 'letters_and_digits' },
    at: 'Password',
    says: 'Use both letters and digits.',
  },
  'a new passkey': {
    path: `${place}/account`,
    fill: (page) => type(page, 'Name of a new passkey', 'Laptop'),
    press: 'Add a passkey',
    route: 'POST /me/passkeys/options',
    fault: { field: 'name' },
    at: 'Name of a new passkey',
    says: '1 to 100 characters, and none that are hidden.',
  },
  'one-time codes': {
    path: `${place}/account`,
    answers: {
      'GET /me/account': () => ({ body: account }),
      'POST /me/one-time-codes': () => ({ body: { secret: 'AAAA', uri: 'otpauth://totp/a' } }),
    },
    fill: async (page) => {
      await click(page, 'Set up one-time codes')
      await type(page, 'One-time code', '123456')
    },
    press: 'Confirm',
    route: 'POST /me/one-time-codes/confirm',
    fault: { field: 'code', fault: 'no_secret' },
    at: 'One-time code',
    says: 'There is no secret yet. Begin again.',
  },
  'an account by a link': {
    path: '#welcome=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
    answers: link,
    fill: async (page) => {
      await type(page, 'Email', 'jo@shop.example')
      await type(page, 'Name', 'Jo Marsh')
      await click(page, 'Use a password instead')
      await type(page, 'Password', 'jo marsh 12345')
    },
    press: 'Create account',
    route: 'POST /links/redeem',
    fault: { field: 'password', fault: 'own_name' },
    at: 'Password',
    says: 'Do not make it of your name or address.',
  },
  'its address': {
    path: '#welcome=0123456789abcdefghijklmnopqrstuvwxyzABCDEFG',
    answers: link,
    fill: async (page) => {
      await type(page, 'Email', 'jo@shop.example')
      await type(page, 'Name', 'Jo Marsh')
    },
    press: 'Create a passkey',
    route: 'POST /links/passkey-options',
    fault: { field: 'email', fault: 'has_account' },
    at: 'Email',
    says: 'This address has an account already. Sign in with it.',
  },
  'the way in by password': {
    path: '',
    answers: stranger,
    fill: async (page) => {
      await type(page, 'Email', 'jo@shop.example')
      await click(page, 'Use a password')
      await type(page, 'Password', 'x')
    },
    press: 'Sign in',
    route: 'POST /sign-in/password',
    fault: { field: 'password', fault: 'too_long', bound: 1000 },
    at: 'Password',
    says: 'At most 1,000 characters.',
  },
  'the password beside a passkey': {
    path: '',
    answers: {
      ...stranger,
      'POST /sign-in/password': () => ({ body: { next: 'password' } }),
    },
    fill: async (page) => {
      await type(page, 'Email', 'jo@shop.example')
      await click(page, 'Use a password')
      await type(page, 'Password', 'x')
      await click(page, 'Sign in')
      // The form before it has a field of that name too.
      await page.getByText('This service asks for your password as well.').waitFor()
      await type(page, 'Password', 'x')
    },
    press: 'Sign in',
    route: 'POST /sign-in/second-password',
    fault: { field: 'password', fault: 'too_long', bound: 1000 },
    at: 'Password',
    says: 'At most 1,000 characters.',
  },
  'a recovery code': {
    path: '',
    answers: stranger,
    fill: async (page) => {
      await click(page, 'Use a recovery code')
      await type(page, 'Recovery code', 'abc')
    },
    press: 'Confirm',
    route: 'POST /sign-in/recovery-code',
    fault: { field: 'code', fault: 'too_long', bound: 100 },
    at: 'Recovery code',
    says: 'At most 100 characters.',
  },
  'a proof': {
    path: `${place}/payments/${samples.held.id}`,
    answers: asksCode,
    fill: async (page) => {
      await click(page, 'Capture')
      await click(page, 'Capture £42.00')
      await type(page, 'One-time code', '123456')
    },
    press: 'Confirm',
    route: 'POST /proof',
    fault: { field: 'one_time_code', fault: 'required' },
    at: 'One-time code',
    says: 'This is needed.',
  },
  'a new merchant': {
    path: `${place}/merchants`,
    fill: async (page) => {
      await click(page, 'Make a merchant')
      await type(page, 'Name', 'The \u200bpottery')
    },
    press: 'Create',
    route: 'POST /system/merchants',
    fault: { field: 'name' },
    at: 'Name',
    says: '1 to 100 characters, and none that are hidden.',
  },
  'a new endpoint': {
    path: `${place}/webhooks`,
    fill: async (page) => {
      await click(page, 'Add endpoint')
      await type(page, 'Endpoint URL', 'shop.example/hook')
    },
    press: 'Add',
    route: 'POST /webhooks/endpoints',
    code: 'invalid_url',
    fault: { field: 'url' },
    at: 'Endpoint URL',
    says: 'Enter a whole address that begins with https://',
  },
  'a new key': {
    path: `${place}/keys`,
    fill: async (page) => {
      await click(page, 'Create key')
      await type(page, 'Name', 'shop')
    },
    press: 'Create',
    route: 'POST /keys',
    fault: { field: 'permissions', fault: 'required' },
    at: 'Create payments create_payments',
    says: 'This is needed.',
  },
  'a new connection': {
    path: `${place}/connections`,
    fill: async (page) => {
      await click(page, 'Create connection')
      await type(page, 'Label', 'main')
      await type(page, 'secret_key', 'sk')
      await type(page, 'webhook_secret', 'whsec')
    },
    press: 'Create connection',
    route: 'POST /connections',
    fault: { field: 'credentials.api_url', fault: 'web_address' },
    at: 'api_url',
    says: 'Enter a whole address that begins with https://',
  },
  'other credentials': {
    path: `${place}/connections`,
    fill: async (page) => {
      await click(page, 'Rotate credentials')
      await type(page, 'secret_key', 'sk')
      await type(page, 'webhook_secret', 'whsec')
    },
    press: 'Rotate credentials',
    route: 'POST /connections/conn/credentials',
    fault: { field: 'credentials.secret_key' },
    at: 'secret_key',
    says: 'The vendor does not write it so.',
  },
  'a new integration': {
    path: `${place}/integrations`,
    fill: async (page) => {
      await click(page, 'Create integration')
      await type(page, 'Name', 'shop')
    },
    press: 'Create',
    route: 'POST /integrations',
    // Out of a part of the form that is folded away.
    fault: { field: 'handle', fault: 'taken' },
    at: 'Handle',
    says: 'This is taken already. Choose another.',
  },
  'its origins': {
    path: `${place}/integrations`,
    fill: async (page) => {
      await click(page, 'Create integration')
      await type(page, 'Name', 'shop')
    },
    press: 'Create',
    route: 'POST /integrations',
    fault: { field: 'allowed_origins[1]' },
    at: 'Allowed origins',
    says: 'Each line: https:// and the host',
  },
  'its prices': {
    path: `${place}/integrations`,
    fill: async (page) => {
      await click(page, 'Change')
      await page.getByText('Prices', { exact: true }).click()
      await page.getByLabel('Price', { exact: true }).first().fill('13.00')
      await page.getByText('Prices', { exact: true }).click()
    },
    press: 'Save',
    route: 'POST /integrations/int',
    fault: { field: 'price_list[0].unit_amount', fault: 'too_big', bound: 99_999_999 },
    at: 'Price',
    says: 'This is too much.',
  },
  'a refund': {
    path: `${place}/payments/${samples.held.id}`,
    answers: { 'GET /payments/pay': () => ({ body: captured }) },
    fill: (page) => click(page, 'Refund'),
    press: 'Refund £42.00',
    route: 'POST /payments/pay/refunds',
    status: 409,
    code: 'refund_exceeds_captured',
    fault: { field: 'amount' },
    at: 'Amount (GBP)',
    says: 'That is more than is left to refund.',
  },
  'a refund that was settled another way': {
    path: `${place}/payments/${samples.held.id}`,
    answers: {
      'GET /payments/pay': () => ({ body: { ...captured, refund_count: 1, failed_refund_amount: 513 } }),
      'GET /payments/pay/refunds': () => ({ body: { refunds: [{ ...samples.refundsOfIt[0]!, ...owed }] } }),
    },
    fill: async (page) => {
      await click(page, 'Settled another way')
      await type(page, 'How it was given back', 'x')
    },
    press: 'Note £5.13',
    route: 'POST /refunds/ref/otherwise',
    fault: { field: 'note', fault: 'too_long', bound: 255 },
    at: 'How it was given back',
    says: 'At most 255 characters.',
  },
  'a decision about several': {
    path: `${place}/holds`,
    fill: async (page) => {
      await page.getByRole('checkbox', { name: 'Mark' }).first().check()
      await click(page, 'Void those marked')
    },
    press: 'Void £42.00',
    route: 'POST /payments/pay/hold/void',
    fault: { field: 'note', fault: 'too_long', bound: 255 },
    at: 'Reason (optional)',
    says: 'At most 255 characters.',
  },
  'a limit of refunds': {
    path: `${place}/team`,
    fill: async (page) => {
      await click(page, 'Set a limit')
      await type(page, 'Currency', 'XXX')
      await type(page, 'Amount', '5')
    },
    press: 'Set a limit',
    route: 'POST /team/refund-limits',
    fault: { field: 'currency', fault: 'currency' },
    at: 'Currency',
    says: 'Three letters of a currency, such as EUR.',
  },
  'an invitation': {
    path: `${place}/team`,
    fill: async (page) => {
      await click(page, 'Invite')
      await type(page, 'Email', 'sam@shop.example')
    },
    press: 'Make a link',
    route: 'POST /team/invitations',
    fault: { field: 'email', fault: 'is_member' },
    at: 'Email',
    says: 'Somebody with this address is on the team already.',
  },
  'an operation that is settled': {
    path: `${place}/operations`,
    fill: async (page) => {
      await click(page, 'Settle')
      await page.getByLabel('Outcome', { exact: true }).selectOption('approved')
      await type(page, 'How you know', 'The portal says so.')
      await type(page, 'Acquirer’s reference', 'a b')
    },
    press: 'Settle',
    route: 'POST /operations/op/resolve',
    fault: { field: 'acquirer_transaction_id' },
    at: 'Acquirer’s reference',
    says: 'As the acquirer writes it',
  },
  'an operation that is settled by the reference of another payment': {
    path: `${place}/operations`,
    fill: async (page) => {
      await click(page, 'Settle')
      await page.getByLabel('Outcome', { exact: true }).selectOption('approved')
      await type(page, 'How you know', 'The portal says so.')
      await type(page, 'Acquirer’s reference', 're_1')
    },
    press: 'Settle',
    route: 'POST /operations/op/resolve',
    fault: { field: 'acquirer_transaction_id', fault: 'other_payments_id', payment_id: samples.held.id },
    at: 'Acquirer’s reference',
    says: 'This is the reference of another payment or charge.',
    leads_to: `payments/${samples.held.id}`,
  },
  'a reason of an operator': {
    path: `${place}/system`,
    fill: async (page) => {
      await click(page, 'Leave as it is')
      await type(page, 'Why', 'It is theirs.')
    },
    press: 'Leave the authorisation as it is',
    route: 'POST /system/orphans/leave',
    fault: { field: 'reason', fault: 'required' },
    at: 'Why',
    says: 'This is needed.',
  },
  'a brake that is released': {
    path: `${place}/system`,
    fill: (page) => click(page, 'Release the brake'),
    press: 'Release the brake',
    route: 'POST /system/brake/release',
    fault: { field: 'anyway', fault: 'unswept' },
    at: 'Release even if an acquirer has not been checked since',
    says: 'Not every acquirer was gone through since the brake was pulled.',
  },
  'an export of payments': {
    path: `${place}/payments`,
    fill: (page) => click(page, 'Export'),
    press: 'Download',
    route: 'GET /export/movements',
    fault: { field: 'created_from', fault: 'too_many_days', bound: 366 },
    at: 'From',
    says: 'At most 366 days in one file.',
  },
}

const request_id = 'req_0123456789abcdef01234567'

/** Opens the form, lets it be refused, and looks. */
async function refused(
  { path, fill, press, route, fault, status = 400, code = 'invalid_request', answers = {} }: Row,
  look: (page: Page) => Promise<void>,
): Promise<void> {
  const own = {
    ...answers,
    [route]: () => refuse(status, code, { ...fault, request_id, message: 'No.' }),
  }
  for (const [name, answer] of Object.entries(own)) standIn.on(name, answer)
  const { page, context, faults } = await newShopper(browser, standIn.base_url)
  try {
    page.setDefaultTimeout(10_000)
    await page.goto(`${standIn.base_url}/dashboard${path.startsWith('#') ? path : `/${path}`}`)
    await fill(page)
    // A dialog stands behind the button that opened it.
    await page.getByRole('button', { name: press, exact: true }).last().click()
    await look(page)
    expect(faults).toEqual([])
  } finally {
    await context.close()
    standIn.reset()
  }
}

test.each(Object.entries(rows))('%s', async (name, row) => {
  await refused(row, async (page) => {
    const note = page.getByRole('alert').filter({ hasText: row.says })
    await note.waitFor()
    expect(await note.textContent()).not.toContain('req_')
    const field = page.getByLabel(row.at, { exact: true }).locator('visible=true').first()
    await expect.poll(() => hasFocus(field)).toBe(true)
    const described_by = await field.evaluate((each) =>
      (each.closest('fieldset.ticks') ?? each).getAttribute('aria-describedby'),
    )
    expect(await page.locator(`[id="${described_by}"]`).textContent()).toContain(row.says)
    // Nothing says it a second time at the form's head.
    expect(await page.locator('form .alert').count()).toBe(0)
    if (row.leads_to) {
      const link = page.getByRole('dialog').getByRole('link')
      expect(await link.getAttribute('href')).toContain(row.leads_to)
    }
    await picture(page, `dashboard-form-${name.replace(/\W+/g, '-')}`)
    await page.getByText('Details', { exact: true }).last().click()
    await page.getByText(request_id).waitFor()
  })
})

test.each(Object.entries(rows))('%s, where no field is to blame', async (_, row) => {
  await refused({ ...row, fault: { field: 'another' }, status: 400, code: 'invalid_request' }, async (page) => {
    const head = page.locator('form > :first-child').getByRole('alert')
    await head.getByText('The service does not take this as it stands.').waitFor()
    // Only the service's own sentence says more.
    await head.getByText('No.', { exact: true }).waitFor()
    await head.getByText(request_id).waitFor()
  })
})
