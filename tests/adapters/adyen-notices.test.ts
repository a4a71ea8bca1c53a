// What Adyen's notices are read as: one fault a row. The vendor's own validator judges our signatures, and we judge its.

import { NotificationRequestItem } from '@adyen/api-library/lib/src/typings/notification/notificationRequestItem.js'
import { hmacValidator } from '@adyen/api-library/lib/src/utils/index.js'
import { describe, expect, test } from 'vitest'
import { NotGenuine, type NoticePost } from '../../src/acquirers/acquirer.ts'
import { adyen } from '../../src/acquirers/adyen/adyen.ts'
import type { AdyenCredentials } from '../../src/acquirers/adyen/credentials.ts'
import { codesOfWords, declineOf as declineOfCode } from '../../src/acquirers/adyen/declines.ts'
import { noticeEvents } from '../../src/acquirers/adyen/notices.ts'
import { type NoticeItem, posted, signed, signedText } from './fakes/adyen/views.ts'

const hmac_key = '44782DEF547AAA06C910C43932B1EB0C71FC68D9D0C057550C48EC2ACF6BA056'
const credentials: AdyenCredentials = { api_key: 'key', merchant_account: 'TeaCOM', hmac_key }
const reference = '0123456789abcdef0123456789abcdef'
const charge: NoticeItem = {
  pspReference: 'PSP1',
  merchantAccountCode: 'TeaCOM',
  merchantReference: reference,
  amount: { value: 4200, currency: 'GBP' },
  eventCode: 'AUTHORISATION',
  success: 'true',
  eventDate: '2026-09-01T14:00:00+02:00',
  reason: 'Words',
  additionalData: {},
}
const modification: NoticeItem = {
  ...charge,
  pspReference: 'MOD1',
  originalReference: 'PSP1',
  eventCode: 'CANCELLATION',
}

function read(post: NoticePost, mode: 'live' | 'sandbox' = 'sandbox', by = credentials) {
  return adyen.notices!.read(post, {
    credentials: by,
    mode,
    installation: 'ours',
    now: new Date(0),
  })
}

const readItem = (item: NoticeItem) => read(posted([signed(hmac_key, item)]))

const names = {
  reference,
  authorisation_transaction_id: 'PSP1',
  is_ours: null,
  notice_id: expect.stringMatching(/^[0-9a-f]{64}$/),
  occurred_at: new Date('2026-09-01T12:00:00Z'),
}
const of_charge = { ...names, acquirer_transaction_id: 'PSP1' }
const of_modification = { ...names, acquirer_transaction_id: 'MOD1' }

describe('about a charge', () => {
  const approved = {
    result: 'approved',
    acquirer_transaction_id: 'PSP1',
    captured: false,
    amount: 4200,
    currency: 'GBP',
  }
  const done = { result: 'approved', acquirer_transaction_id: 'PSP1' }
  const money = { amount: 4200, currency: 'GBP' }
  const decline = { code: 'card_declined', category: 'soft', reason: 'Words' }
  const declined = { result: 'declined', decline, acquirer_transaction_id: 'PSP1' }
  test.each<[string, Partial<NoticeItem>, object]>([
    ['approved', {}, { about: 'authorise', answer: approved }],
    ['refused', { success: 'false' }, { about: 'authorise', answer: declined }],
    [
      'an amount in units of theirs',
      { amount: { value: 42, currency: 'IDR' } },
      { about: 'authorise', answer: { ...approved, currency: 'IDR' } },
    ],
    [
      'an amount of which nobody knows the units',
      { amount: { value: 42, currency: 'XXX' } },
      { about: 'authorise', answer: null },
    ],
    ['lapsed', { eventCode: 'EXPIRE' }, { about: 'expiry', answer: { ...done, money } }],
    [
      'lapsed, by a name of its own',
      { eventCode: 'EXPIRE', pspReference: 'EXP1', originalReference: 'PSP1' },
      { about: 'expiry', answer: { ...done, acquirer_transaction_id: 'EXP1', money } },
    ],
    ['of somebody else', { merchantReference: 'order-17' }, { about: 'authorise', answer: approved, reference: null }],
  ])('%s', (_, change, expected) => {
    expect(readItem({ ...charge, ...change })).toEqual([{ ...of_charge, ...expected }])
  })
})

describe('what only announces', () => {
  test.each([
    ['MANUAL_REVIEW_ACCEPT', 'authorise'],
    ['MANUAL_REVIEW_REJECT', 'reverse'],
    ['POSTPONED_REFUND', 'refund'],
  ])('%s names the charge and no outcome', (eventCode, about) => {
    for (const success of ['true', 'false'] as const) {
      expect(readItem({ ...modification, eventCode, success })).toMatchObject([
        { about, reference, authorisation_transaction_id: 'PSP1', answer: null },
      ])
    }
  })
})

describe('an adjusted authorisation', () => {
  const adjusted = { ...modification, eventCode: 'AUTHORISATION_ADJUSTMENT' }
  const amount = { value: 3000, currency: 'GBP' }
  test('is an approval of another amount', () => {
    const answer = {
      result: 'approved',
      acquirer_transaction_id: 'PSP1',
      captured: false,
      amount: 3000,
      currency: 'GBP',
    }
    expect(readItem({ ...adjusted, amount })).toMatchObject([
      { about: 'authorise', acquirer_transaction_id: 'PSP1', answer },
    ])
  })

  test('that was refused leaves the charge as it was', () => {
    expect(readItem({ ...adjusted, amount, success: 'false' })).toMatchObject([{ answer: null }])
  })
})

/** Of the events that Adyen's library knows: why nobody reads them. */
const unread: Record<string, string> = {
  AUTORESCUE: 'no payment is left to it: requests do not ask for it',
  CANCEL_AUTORESCUE: 'as above',
  PROCESS_RETRY: 'as above',
  DISPUTE_DEFENSE_PERIOD_ENDED: 'the dispute itself was told',
  INFORMATION_SUPPLIED: 'the dispute itself was told, and a person has answered it',
  ISSUER_COMMENTS: 'the dispute itself was told',
  ISSUER_RESPONSE_TIMEFRAME_EXPIRED: 'the dispute itself was told, and ends well',
  DONATION: 'is a payment of its own, which was not made here',
  HANDLED_EXTERNALLY: 'is of a payment at a terminal',
  OFFER_CLOSED: 'is of a voucher that nobody paid',
  ORDER_CLOSED: 'is of a payment by several cards, which requests do not ask for',
  ORDER_OPENED: 'as above',
  PAIDOUT_REVERSED: 'is of a payout',
  PAYOUT_DECLINE: 'is of a payout',
  PAYOUT_EXPIRE: 'is of a payout',
  PAYOUT_THIRDPARTY: 'is of a payout',
  PENDING: 'the answer to the charge has said so',
  RECURRING_CONTRACT: 'is of a stored card, which requests do not ask for',
  REFUND_WITH_DATA: 'goes to a card that is given anew, and is of no payment',
  REPORT_AVAILABLE: 'is of a file',
}

test('each event of the vendor is read, or there is a reason', () => {
  const theirs: string[] = Object.values(NotificationRequestItem.EventCodeEnum)
  expect(Object.keys(unread).filter((each) => Object.hasOwn(noticeEvents, each))).toEqual([])
  const known = [...Object.keys(noticeEvents), ...Object.keys(unread)]
  expect(theirs.filter((each) => !known.includes(each))).toEqual([])
})

describe('about a modification', () => {
  const approved = { result: 'approved', acquirer_transaction_id: 'MOD1' }
  const whole = { ...approved, money: { amount: 4200, currency: 'GBP' } }
  const refused = { result: 'refused', reason: 'Words', decline_code: null, authorisation_known: true }
  const nothing = { ...refused, decline_code: 'unknown_authorisation', authorisation_known: false }
  test.each<[string, 'true' | 'false', string, object | null]>([
    ['CAPTURE', 'true', 'capture', whole],
    ['CAPTURE', 'false', 'capture', refused],
    ['CAPTURE_FAILED', 'true', 'capture', refused],
    ['CANCELLATION', 'true', 'void', whole],
    ['CANCELLATION', 'false', 'void', refused],
    ['TECHNICAL_CANCEL', 'true', 'reverse', whole],
    ['TECHNICAL_CANCEL', 'false', 'reverse', nothing],
    ['CANCEL_OR_REFUND', 'true', 'reverse', whole],
    ['CANCEL_OR_REFUND', 'false', 'reverse', refused],
    ['VOID_PENDING_REFUND', 'true', 'reverse', whole],
    ['REFUND', 'true', 'refund', whole],
    ['REFUND', 'false', 'refund', refused],
    ['REFUND_FAILED', 'true', 'refund', refused],
    ['REFUNDED_REVERSED', 'true', 'refund', refused],
    ['NOTIFICATION_OF_FRAUD', 'true', 'dispute', null],
    ['PREARBITRATION_OPEN', 'true', 'dispute', null],
  ])('%s, success %s: %s', (eventCode, success, about, answer) => {
    const [notice] = readItem({ ...modification, eventCode, success })
    expect(notice).toEqual({ ...of_modification, about, answer })
  })

  test.each([
    ['NOTIFICATION_OF_CHARGEBACK', 'needs_response', 1],
    ['REQUEST_FOR_INFORMATION', 'needs_response', 1],
    ['CHARGEBACK', 'needs_response', 1],
    ['CHARGEBACK_REVERSED', 'won', 1],
    ['SECOND_CHARGEBACK', 'lost', 2],
    ['PREARBITRATION_WON', 'won', 2],
    ['PREARBITRATION_LOST', 'lost', 2],
  ] as const)('%s says that the dispute is %s', (eventCode, status, round) => {
    const additionalData = { chargebackReasonCode: '10.4', defensePeriodEndsAt: '2026-09-15T14:00:00+02:00' }
    const [notice] = readItem({ ...modification, eventCode, success: 'true', additionalData })
    expect(notice).toMatchObject({ ...of_modification, about: 'dispute', answer: null })
    expect(notice!.dispute).toEqual({
      ...{ vendor_id: 'MOD1', status, round, reason: 'Words 10.4', opened_at: null },
      money: { amount: 4200, currency: 'GBP' },
      respond_by: '2026-09-15T12:00:00.000Z',
      url: expect.stringMatching(/^https:\/\/ca-test\.adyen\.com\/.*pspReference=PSP1/),
    })
  })

  test.each([
    ['an unreadable currency', { amount: { value: 4200, currency: 'XXX' } }, { money: null }],
    ['no end of the time to respond', { additionalData: {} }, { respond_by: null }],
    ['one that is no time', { additionalData: { defensePeriodEndsAt: 'soon' } }, { respond_by: null }],
    ['no words', { reason: undefined, additionalData: {} }, { reason: null }],
    ['no name of the payment', { originalReference: undefined }, { vendor_id: 'MOD1' }],
  ])('a dispute with %s', (_, change, expected) => {
    const item = { ...modification, eventCode: 'CHARGEBACK', success: 'true' as const, ...change } as NoticeItem
    expect(readItem(item)[0]!.dispute).toMatchObject(expected)
  })

  test.each([
    ['CANCELLATION', { value: 0, currency: 'GBP' }, approved],
    ['CANCELLATION', { value: 100, currency: 'GBP' }, 100],
    ['CAPTURE', { value: 100, currency: 'GBP' }, 100],
    ['REFUND', { value: 100, currency: 'GBP' }, 100],
    ['CANCEL_OR_REFUND', { value: 100, currency: 'GBP' }, 100],
    ['CAPTURE', { value: 4200, currency: 'XXX' }, null],
  ])('%s of %j', (eventCode, amount, said) => {
    const [notice] = readItem({ ...modification, eventCode, success: 'true', amount })
    const money = { amount: said, currency: 'GBP' }
    expect(notice!.answer).toEqual(typeof said === 'number' ? { ...approved, money } : said)
  })

  test.each([
    ['REPORT_AVAILABLE', 'true'],
    ['constructor', 'true'],
    ['EXPIRE', 'false'],
  ] as const)('%s, success %s, is no news', (eventCode, success) => {
    expect(readItem({ ...modification, eventCode, success })).toEqual([])
  })
})

describe('a report, which Adyen does not sign', () => {
  const report = {
    pspReference: 'settlement_detail_report_batch_12.csv',
    eventCode: 'REPORT_AVAILABLE',
    merchantAccountCode: 'TeaCOM',
    merchantReference: '',
    success: 'true',
    amount: { value: 0, currency: 'EUR' },
    eventDate: '2026-09-01T14:00:00+02:00',
    reason: 'https://vendor.example/settlement_detail_report_batch_12.csv',
  } as NoticeItem

  test('is taken, and is no news', () => {
    expect(read(posted([report]))).toEqual([])
  })

  test('does not hold up what is posted with it', () => {
    expect(read(posted([report, signed(hmac_key, charge)]))).toHaveLength(1)
  })

  test('is not the only item in another form that is no news', () => {
    const other = { ...report, eventCode: 'PAYOUT_THIRDPARTY', amount: undefined } as never
    expect(read(posted([other]))).toEqual([])
  })

  test('does not let in what has no signature', () => {
    expect(() => read(posted([report, charge]))).toThrow(NotGenuine)
    expect(() => read(posted([{ ...charge, pspReference: 'a.csv' }]))).toThrow(NotGenuine)
  })
})

describe('its name', () => {
  const idOf = (item: NoticeItem) => readItem(item)[0]!.notice_id

  test('is the same when it comes again, with whatever else', () => {
    const again = { ...charge, reason: 'Other', eventDate: '2026-09-02T12:00:00Z' }
    expect(idOf(again)).toBe(idOf(charge))
  })

  test.each<Partial<NoticeItem>>([{ pspReference: 'PSP2' }, { eventCode: 'EXPIRE' }, { success: 'false' }])(
    'is another with %o',
    (change) => {
      expect(idOf({ ...charge, ...change })).not.toBe(idOf(charge))
    },
  )
})

describe('about a charge that was refused, for which no code is posted', () => {
  const declineOf = (reason: string | null) => {
    const [notice] = readItem({ ...charge, success: 'false', reason: reason as string })
    return (notice!.answer as { decline: object }).decline
  }

  test.each(Object.entries(codesOfWords))('"%s" is as strict as code %s', (words, code) => {
    const refusal = { code, raw: null, words: null }
    const { may_retry_elsewhere, ...answered } = declineOfCode(refusal)
    expect(may_retry_elsewhere).toBe(false)
    expect(['hard', 'fraud']).toContain(answered.category)
    for (const reason of [words, words.toUpperCase()]) {
      expect(declineOf(reason)).toEqual({ ...answered, reason })
    }
  })

  test.each(['Refused', 'Not enough balance', 'Acquirer Error', 'constructor', '', null])('%s stays soft', (reason) => {
    const soft = { code: 'card_declined', category: 'soft' }
    expect(declineOf(reason)).toEqual({ ...soft, reason: reason || null })
  })
})

test('its own mark is read, where the account repeats it', () => {
  const additionalData = { 'metadata.ripper_installation': 'ours' }
  expect(readItem({ ...charge, additionalData })).toMatchObject([{ is_ours: true }])
})

test('a modification without the original names no charge', () => {
  const cancel = { ...modification, eventCode: 'TECHNICAL_CANCEL', originalReference: undefined }
  expect(readItem(cancel as NoticeItem)).toMatchObject([
    { acquirer_transaction_id: 'MOD1', authorisation_transaction_id: null },
  ])
})

test('what is not signed gives words and a time, and decides nothing', () => {
  const item = signed(hmac_key, charge)
  const additionalData = { ...item.additionalData, 'metadata.ripper_installation': 'theirs', refusalReasonCode: '20' }
  const change = { reason: 'Stolen 4111111111111111', eventDate: '2030-01-01T00:00:00Z' }
  const [changed] = read(posted([{ ...item, ...change, additionalData }]))
  const [plain] = readItem(charge)
  expect({ ...changed, occurred_at: null }).toEqual({ ...plain, occurred_at: null })
  const [declined] = readItem({ ...charge, success: 'false', ...change })
  expect(declined!.answer).toMatchObject({ decline: { code: 'card_declined', reason: 'Stolen …' } })
})

describe('is not genuine', () => {
  const item = signed(hmac_key, modification)
  const changed = (change: object) => posted([{ ...item, ...change } as NoticeItem])
  const rows: [string, NoticePost][] = [
    ['another psp reference', changed({ pspReference: 'MOD2' })],
    ['another original', changed({ originalReference: 'PSP2' })],
    ['no original', changed({ originalReference: undefined })],
    ['another merchant reference', changed({ merchantReference: 'f'.repeat(32) })],
    ['another amount', changed({ amount: { value: 1, currency: 'GBP' } })],
    ['another currency', changed({ amount: { value: 4200, currency: 'EUR' } })],
    ['another event', changed({ eventCode: 'CAPTURE' })],
    ['another outcome', changed({ success: 'false' })],
    ['an outcome that is no string', changed({ success: true })],
    ['an account that was not signed', changed({ merchantAccountCode: 'TeaPOS' })],
    ["another account's", posted([signed(hmac_key, { ...charge, merchantAccountCode: 'TeaPOS' })])],
    ['no signature', posted([charge])],
    ['an empty signature', changed({ additionalData: { hmacSignature: '' } })],
    ['a short signature', changed({ additionalData: { hmacSignature: 'AAAA' } })],
    ['of another key', posted([signed('00'.repeat(32), charge)])],
    ['live', posted([item], {}, 'true')],
    ['neither live nor not', posted([item], {}, 'perhaps')],
    ['without a time', posted([signed(hmac_key, { ...charge, eventDate: 'soon' })])],
    ['one of two that is not signed', posted([item, charge])],
    ['nothing in it', posted([])],
    ['no JSON', { headers: {}, body: '<html></html>' }],
    ['cut', { headers: {}, body: posted([item]).body.slice(0, -9) }],
    // The same characters are signed, and mean another outcome where a field may hold colons.
    [
      'fields moved by a colon',
      posted([
        {
          ...signed(hmac_key, { ...charge, merchantReference: `x:${reference}` }),
          merchantAccountCode: 'TeaCOM:x',
          merchantReference: reference,
        },
      ]),
    ],
  ]
  test.each(rows)('%s', (_, post) => {
    expect(() => read(post)).toThrow(NotGenuine)
  })

  test('of the sandbox, for a live connection', () => {
    expect(() => read(posted([item]), 'live')).toThrow(NotGenuine)
    expect(read(posted([item], {}, 'true'), 'live')).toHaveLength(1)
  })
})

describe('user and password', () => {
  const by = { ...credentials, notice_user: 'tea', notice_password: 'p:w' }
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const post = (authorization: string) => posted([signed(hmac_key, charge)], { authorization })

  test('are asked for where they are set', () => {
    expect(read(post(basic('tea:p:w')), 'sandbox', by)).toHaveLength(1)
    expect(read(post(basic('whoever:x')))).toHaveLength(1)
  })

  test.each(['', basic('tea:pw'), basic('tea'), 'tea:p:w', `Bearer ${btoa('tea:p:w')}`])(
    '%s is refused',
    (authorization) => {
      expect(() => read(post(authorization), 'sandbox', by)).toThrow(NotGenuine)
    },
  )
})

describe("the vendor's validator", () => {
  const validator = new hmacValidator()
  const theirs = (item: NoticeItem) => item as unknown as Parameters<typeof validator.validateHMAC>[0]
  const rows: [string, NoticeItem][] = [
    ['a charge', charge],
    ['a modification', modification],
    ['no references', { ...charge, merchantReference: '', eventCode: 'REPORT_AVAILABLE' }],
    ['a reference with colons and a backslash', { ...charge, merchantReference: 'a:b\\c:' }],
    ['other letters', { ...charge, merchantReference: 'Tee für zwei 茶' }],
  ]

  test.each(rows)('accepts what the fake signs: %s', (_, item) => {
    expect(validator.validateHMAC(theirs(signed(hmac_key, item)), hmac_key)).toBe(true)
    expect(validator.getDataToSign(theirs(item))).toBe(signedText(item))
  })

  test.each(rows)('signs what we accept: %s', (_, item) => {
    const hmacSignature = validator.calculateHmac(theirs(item), hmac_key)
    expect(() => read(posted([{ ...item, additionalData: { hmacSignature } }]))).not.toThrow()
  })
})
