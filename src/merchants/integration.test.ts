import { describe, expect, test } from 'vitest'
import { confirmationUrlFault, confirmationUrlIn } from './integration.ts'

const origins = ['https://shop.example', 'http://localhost:3000', 'http://127.0.0.1:3000']
const no_https = 'must be an absolute https URL'
const no_https_here = `${no_https}. On http://localhost it can only be set for the whole integration: ripper integration update --confirmation-url`
const no_https_there = `${no_https}, or for test sessions one on http://localhost`
const foreign = "must be on one of the integration's allowed origins"
const address = 'must name its host, not an IP address'

// The address | what a session may not name | what a setting may not name.
test.each([
  ['https://shop.example/thanks?flag', null, null],
  ['http://shop.example/', no_https, no_https_there],
  ['http://localhost:3000/thanks?flag', no_https_here, null],
  ['http://localhost:3000', no_https_here, null],
  ['HTTP://LOCALHOST:3000?x', no_https_here, null],
  ['http://localhost:4000/', no_https_here, foreign],
  ['http://localhost/', no_https_here, foreign],
  ['http://localhost:3000/#x', no_https_here, 'must not have a fragment'],
  [
    'http://localhost:3000/?payment_id=1',
    no_https_here,
    'must not have a payment_id or order_reference parameter, which are added to it',
  ],
  ['http://localhost@shop.example/', no_https, no_https_there],
  ['http://localhost.shop.example/', no_https, no_https_there],
  ['http://127.0.0.1:3000/', no_https, no_https_there],
  ['https://127.0.0.1/', address, address],
  ['ftp://localhost:3000/', no_https, no_https_there],
  ['http:localhost:3000/', no_https, no_https_there],
  ['', no_https, no_https_there],
])('an address to go on to: %s', (text, of_session, of_setting) => {
  const faultOf = (words: string | null) => words && { words, ...(words === foreign && { fault: 'other_origin' }) }
  expect(confirmationUrlFault(text, origins)).toEqual(faultOf(of_session))
  expect(confirmationUrlFault(text, origins, { is_setting: true })).toEqual(faultOf(of_setting))
})

describe('where an integration leads', () => {
  test.each([
    [null, null, null],
    ['https://shop.example/', 'https://shop.example/', 'https://shop.example/'],
    ['http://localhost:3000/', 'http://localhost:3000/', null],
  ])('%s', (confirmation_url, in_test, in_live) => {
    expect(confirmationUrlIn({ confirmation_url }, 'test')).toBe(in_test)
    expect(confirmationUrlIn({ confirmation_url }, 'live')).toBe(in_live)
  })
})
