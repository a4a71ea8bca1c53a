import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { escapeHtml } from '../../kernel/html.ts'
import { amountText, noticePage, submit_script, submittingPage } from './pages.ts'

test.each([
  ['4200', '826', 2, 'GBP 42.00'],
  ['5', '978', 2, 'EUR 0.05'],
  ['0', '840', 2, 'USD 0.00'],
  ['4200', '392', 0, 'JPY 4200'],
  ['4200', '414', 3, 'KWD 4.200'],
  ['4200', '990', 4, 'CLF 0.4200'],
  ['4200', '000', 2, '000 42.00'],
])('%s of %s with exponent %s reads %s', (amount, currency, exponent, expected) => {
  expect(amountText({ amount, currency, exponent })).toBe(expected)
})

test('no value can leave its place in the page', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      expect(escapeHtml(value)).not.toMatch(/[<>"']/)
    }),
  )
  expect(escapeHtml(`<a b="c" d='e'>&`)).toBe('&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;')
})

test('a page that posts itself allows one script, one style and one target', () => {
  const answer = submittingPage(
    { action: 'https://pay.example:8443/back?a=1&b="', fields: { 'a"b': '<script>' } },
    'Continue',
  )
  if (answer === 'hang_up') throw new Error('no page')
  expect(answer.body).toContain('action="https://pay.example:8443/back?a=1&#38;b=&#34;"')
  expect(answer.body).toContain('name="a&#34;b" value="&#60;script&#62;"')
  expect(answer.body).toContain('<noscript><button>Continue</button></noscript>')
  const policy = answer.headers['content-security-policy']!
  const hash = (text: string) => createHash('sha256').update(text).digest('base64')
  const script = /<script>(.*?)<\/script>/s.exec(answer.body)![1]!
  const style = /<style>(.*?)<\/style>/s.exec(answer.body)![1]!
  expect(script).toBe(submit_script)
  expect(policy).toContain(`script-src 'sha256-${hash(script)}'`)
  expect(policy).toContain(`style-src 'sha256-${hash(style)}'`)
  expect(policy).toContain('form-action https://pay.example:8443;')
  expect(policy).not.toContain('frame-ancestors')
})

test('a notice leads nowhere', () => {
  const answer = noticePage(400, '<b>')
  expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('&#60;b&#62;') })
  expect(JSON.stringify(answer)).toContain("form-action 'none'")
})
