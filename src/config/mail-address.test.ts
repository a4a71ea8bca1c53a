import { expect, test } from 'vitest'
import { readSmtpAddress } from './mail-address.ts'

const login = { user: 'a', password: 'b' }

test.each([
  ['smtp://a:b@mail.example', { host: 'mail.example', port: 587, tls: 'starttls', login }],
  ['smtp://a:b@mail.example:25', { host: 'mail.example', port: 25, tls: 'starttls', login }],
  ['smtps://a:b@mail.example', { host: 'mail.example', port: 465, tls: 'at_once', login }],
  ['smtp://10.0.0.1', { host: '10.0.0.1', port: 587, tls: 'starttls', login: null }],
  // This machine itself may do without; a name that only looks like it may not.
  ['smtp://127.0.0.1:25', { host: '127.0.0.1', port: 25, tls: 'none', login: null }],
  ['smtp://127.8.8.8:25', { host: '127.8.8.8', port: 25, tls: 'none', login: null }],
  ['smtp://[::1]:25', { host: '::1', port: 25, tls: 'none', login: null }],
  ['smtp://LOCALHOST', { host: 'localhost', port: 587, tls: 'none', login: null }],
  ['smtps://localhost', { host: 'localhost', port: 465, tls: 'at_once', login: null }],
  ['smtp://127.0.0.1.shop.example', { host: '127.0.0.1.shop.example', port: 587, tls: 'starttls', login: null }],
  ['smtp://localhost.shop.example', { host: 'localhost.shop.example', port: 587, tls: 'starttls', login: null }],
  [
    'smtp://me%40shop.example:p%3A%2F%25@mail.example',
    {
      host: 'mail.example',
      port: 587,
      tls: 'starttls',
      login: { user: 'me@shop.example', password: 'p:/%' },
    },
  ],
])('%s', (text, expected) => {
  expect(readSmtpAddress(text)).toEqual(expected)
})

test.each([
  '',
  'mail.example',
  'mail.example:587',
  'http://a:b@mail.example',
  'smtp:mail.example',
  'smtp://',
  'smtp://a:b@mail.example/inbox',
  'smtp://a:b@mail.example?tls=no',
  'smtp://a:b@mail.example#x',
  'smtp://a@mail.example',
  'smtp://:b@mail.example',
  'smtp://a:%zz@mail.example',
  'smtp://a:b@mail.example:0',
  'smtp://a:b@mail.example:65536',
])('%j says what it must be', (text) => {
  expect(readSmtpAddress(text)).toMatch(/^must .+\.$/)
})
