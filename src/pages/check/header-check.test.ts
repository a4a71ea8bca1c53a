// Pages with one header changed.

import { describe, expect, test } from 'vitest'
import { type Change, type Checked, differences, service, shop } from '../../../tests/support/checked-pages.ts'

describe('headers', () => {
  test.each<[string, Checked, Change, string]>([
    [
      'no policy',
      'hosted-page',
      { headers: { 'content-security-policy': undefined } },
      'The header content-security-policy is missing.',
    ],
    [
      'two policies',
      'hosted-page',
      { policy: (policy) => `${policy}, default-src *` },
      'The header content-security-policy came more than once.',
    ],
    [
      'a weaker directive',
      'hosted-page',
      { policy: (policy) => policy.replace('script-src ', "script-src 'unsafe-inline' ") },
      "script-src of the policy allows 'unsafe-inline', which is not ours.",
    ],
    [
      'a directive less',
      'card-fields',
      { policy: (policy) => policy.replace("trusted-types 'none'; ", '') },
      'The policy lacks trusted-types.',
    ],
    [
      'a directive more',
      'card-fields',
      { policy: (policy) => `${policy}; Script-Src-Attr 'unsafe-inline'` },
      'The policy has script-src-attr, which is not ours.',
    ],
    [
      'a directive twice',
      'card-fields',
      { policy: (policy) => `frame-src https:; ${policy}` },
      'The policy has frame-src more than once.',
    ],
    [
      'a source less',
      'card-fields',
      { policy: (policy) => policy.replace(/'sha256-\S+?'/, '') },
      'script-src of the policy lacks ',
    ],
    [
      'another service',
      'hosted-page',
      {
        policy: (policy) => policy.replace(`connect-src 'self' ${service}`, `connect-src 'self' ${shop}`),
      },
      `connect-src of the policy allows ${shop}, which is not ours.`,
    ],
    [
      'the service is not allowed',
      'hosted-page',
      { policy: (policy) => policy.replace(`connect-src 'self' ${service}`, "connect-src 'self'") },
      `connect-src of the policy lacks ${service}.`,
    ],
    [
      'anybody may frame it',
      'card-fields',
      { policy: (policy) => policy.replace(shop, '*') },
      'frame-ancestors of the policy allows *, which is not ours.',
    ],
    [
      'an origin that the page does not name may frame it',
      'challenge-page',
      { policy: (policy) => policy.replace(shop, 'https://evil.example') },
      'frame-ancestors of the policy allows https://evil.example, which is not ours.',
    ],
    [
      'what the page names is no origin',
      'card-fields',
      {
        html: (html) => html.replace(`["${service}","${shop}"]`, '["*"]'),
        policy: (policy) => policy.replace(shop, '*'),
      },
      'frame-ancestors of the policy allows *, which is not ours.',
    ],
    [
      'pictures without TLS',
      'hosted-page',
      { policy: (policy) => policy.replace('https://cdn.example', 'http://localhost') },
      'img-src of the policy allows http://localhost, which is not ours.',
    ],
    [
      'a bank without TLS',
      'challenge-page',
      {
        html: (html) => html.replace('https://acs.example', 'http://127.0.0.1:1'),
        policy: (policy) => policy.replaceAll('https://acs.example', 'http://127.0.0.1:1'),
      },
      'form-action of the policy allows http://127.0.0.1:1, which is not ours.',
    ],
    [
      'a header less',
      'hosted-page',
      { headers: { 'x-frame-options': undefined } },
      'The header x-frame-options is missing.',
    ],
    [
      'a header of another value',
      'hosted-page',
      { headers: { 'cross-origin-opener-policy': 'unsafe-none' } },
      'The header cross-origin-opener-policy is “unsafe-none”, not “same-origin”.',
    ],
    [
      'another charset',
      'hosted-page',
      { headers: { 'content-type': 'text/html; charset=utf-7' } },
      'The header content-type is “text/html; charset=utf-7”',
    ],
    [
      'a header that leads elsewhere',
      'hosted-page',
      { headers: { refresh: '0;url=https://evil.example' } },
      'The header refresh, “0;url=https://evil.example”, is not ours.',
    ],
    [
      'a redirect',
      'hosted-page',
      { status: 302, headers: { location: 'https://evil.example/' } },
      'The answer is 302 and leads to https://evil.example/, not 200.',
    ],
    ['another status', 'hosted-page', { status: 404 }, 'The answer is 404, not 200.'],
  ])('%s', (_name, page, change, words) => {
    expect(differences(page, change)).toContainEqual(expect.stringContaining(words))
  })

  test.each<[string, Checked, Change]>([
    ['an origin less may frame it', 'card-fields', { policy: (policy) => policy.replace(` ${shop}`, '') }],
    [
      'pictures from elsewhere',
      'hosted-page',
      { policy: (policy) => policy.replace('https://cdn.example', 'https://img.example:8443') },
    ],
    ['headers that a proxy adds', 'hosted-page', { headers: { via: '1.1 x', 'set-cookie': 'lb=1' } }],
    ['the order of a policy', 'hosted-page', { policy: (p) => p.split('; ').reverse().join(';') }],
  ])('%s: not a difference', (_name, page, change) => {
    expect(differences(page, change)).toEqual([])
  })
})
