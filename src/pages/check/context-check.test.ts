// Pages that tell their script something else than the service says, or trust somebody whom nobody named.

import { describe, expect, test } from 'vitest'
import {
  type Change,
  type Checked,
  config,
  differences,
  public_key,
  service,
  shop,
  within,
} from '../../../tests/support/checked-pages.ts'

const evil = 'https://evil.example'
const replaced = (from: string, to: string) => (html: string) => html.replaceAll(from, to)
const configuration = `${service}/v1/checkout/handles/tea`

describe('what a script is given', () => {
  test.each<[string, Checked, Change, string[]]>([
    [
      'another publishable key',
      'card-fields',
      { html: replaced(`"public_key":"${public_key}"`, '"public_key":"rip_pk_2"') },
      ['public_key of the context is rip_pk_2, not rip_pk_1.'],
    ],
    [
      'another publishable key, on the hosted page',
      'hosted-page',
      { html: replaced(`"public_key":"${public_key}"`, '"public_key":"rip_pk_2"') },
      ['config.public_key of the context is rip_pk_2, not rip_pk_1.'],
    ],
    [
      'another handle',
      'hosted-page',
      { html: replaced('"handle":"tea"', '"handle":"tee"') },
      ['handle of the context is tee, not tea.'],
    ],
    [
      'another service',
      'hosted-page',
      { html: replaced(`"base_url":"${service}"`, `"base_url":"${evil}"`) },
      [`base_url of the context is ${evil}, not ${service}.`],
    ],
    [
      'another price',
      'hosted-page',
      { html: replaced('"unit_amount":850', '"unit_amount":1') },
      [
        'config.pricing of the context is {"price_list":[{"sku":"tea","unit_amount":1}]}, not {"price_list":[{"sku":"tea","unit_amount":850}]}.',
      ],
    ],
    [
      'another address to go on to',
      'hosted-page',
      { html: replaced(`${shop}/thanks`, `${evil}/thanks`) },
      [`config.confirmation_url of the context is ${evil}/thanks, not ${shop}/thanks.`],
    ],
    [
      'another look',
      'card-fields',
      { html: replaced('"theme":"dark"', '"theme":"auto"') },
      ['appearance of the context is {"theme":"auto"}, not {"theme":"dark"}.'],
    ],
    [
      'another brand',
      'card-fields',
      { html: replaced('["visa"]', '["amex"]') },
      ['brands of the context is ["amex"], not ["visa"].'],
    ],
    [
      'a member less',
      'card-fields',
      { html: replaced('"brands":["visa"],', '') },
      ['brands of the context is nothing, not ["visa"].'],
    ],
    [
      'other words',
      'card-fields',
      { html: (html) => html.replace(/"number":"[^"]*"/, '"number":"Your PIN"') },
      ['The words of the page are changed: number.'],
    ],
    [
      'another language than its words',
      'hosted-page',
      { html: replaced('"locale":"de"', '"locale":"xx"') },
      ['The page is in xx, which is not ours.'],
    ],
    [
      'nothing',
      'hosted-page',
      { html: (html) => html.replace(/(id="context">).*?(<\/script>)/, '$1[]$2') },
      ['The page does not have exactly one context, as an object in JSON.'],
    ],
    [
      'something else before it',
      'hosted-page',
      { html: replaced('<main id="main">', '<main id="main"><main id="context">{}</main>') },
      ['The page does not have exactly one context, as an object in JSON.'],
    ],
    [
      'JSON that is not the context',
      'hosted-page',
      { html: within('<script type="application/json" id="x">{}</script>') },
      [expect.stringContaining('The inline script “{}” is not known')],
    ],
  ])('%s', (_name, page, change, expected) => {
    expect(differences(page, change)).toEqual(expected)
  })
})

describe("the service's configuration", () => {
  test.each<[string, Checked, Change, string[]]>([
    [
      "somebody else's",
      'card-fields',
      { config: { public_key: 'rip_pk_2' } },
      [
        `The service's configuration belongs to rip_pk_2, not to ${public_key}.`,
        `The service's configuration has the card fields at ${config.card_fields_url}, not ${service}/card-fields/rip_pk_2.`,
      ],
    ],
    [
      'card fields elsewhere',
      'card-fields',
      { config: { card_fields_url: `${evil}/card-fields/${public_key}` } },
      [
        `The service's configuration has the card fields at ${evil}/card-fields/${public_key}, not ${config.card_fields_url}.`,
      ],
    ],
    [
      'one that has more',
      'hosted-page',
      { config: { mode: 'live' } },
      ['config.mode of the context is nothing, not live.'],
    ],
    [
      'one without methods',
      'card-fields',
      { config: { methods: null } },
      ['brands of the context is ["visa"], not nothing.'],
    ],
    [
      'a refusal',
      'hosted-page',
      { files: (files) => files.set(configuration, { status: 503, headers: {}, body: '{}' }) },
      [`The service's configuration, ${configuration}, answers 503, not 200.`],
    ],
    [
      'no answer',
      'hosted-page',
      { files: (files) => files.set(configuration, 'ECONNRESET') },
      [`The service's configuration, ${configuration}, could not be read: ECONNRESET.`],
    ],
    [
      'no JSON',
      'hosted-page',
      { files: (files) => files.set(configuration, { status: 200, headers: {}, body: '<p>' }) },
      [`The service's configuration, ${configuration}, is not an object in JSON.`],
    ],
  ])('%s', (_name, page, change, expected) => {
    expect(differences(page, change)).toEqual(expected)
  })
})

describe('origins that were named', () => {
  const both = 'https://second.example'
  const trusting = `["${service}","${shop}"]`
  const quoted = (text: string) => text.replaceAll('"', '&#34;')

  test.each<[string, Checked, Change, string[]]>([
    [
      'a stranger in the policy and in the context',
      'card-fields',
      {
        html: replaced(trusting, `["${service}","${shop}","${evil}"]`),
        policy: (policy) => `${policy} ${evil}`,
        origins: [shop],
      },
      [
        `The page trusts ${evil}, which is not ours.`,
        `frame-ancestors of the policy allows ${evil}, which is not ours.`,
      ],
    ],
    [
      'a stranger in the context alone',
      'card-fields',
      { html: replaced(trusting, `["${service}","${shop}","${evil}"]`), origins: [shop] },
      [`The page trusts ${evil}, which is not ours.`],
    ],
    [
      'a stranger in a 3-D Secure page',
      'challenge-page',
      {
        html: replaced(quoted(trusting), quoted(`["${service}","${shop}","${evil}"]`)),
        policy: (policy) => policy.replace(shop, `${shop} ${evil}`),
        origins: [shop],
      },
      [
        `The page trusts ${evil}, which is not ours.`,
        `frame-ancestors of the policy allows ${evil}, which is not ours.`,
      ],
    ],
    [
      'one that the page does not know',
      'card-fields',
      { origins: [shop, both] },
      [`The page does not trust ${both}.`, `frame-ancestors of the policy lacks ${both}.`],
    ],
    [
      'one that the policy alone does not know',
      'card-fields',
      { policy: (policy) => policy.replace(` ${shop}`, ''), origins: [shop] },
      [`frame-ancestors of the policy lacks ${shop}.`],
    ],
    ['the service too', 'card-fields', { origins: [shop, service] }, []],
    [
      'a page that names none',
      'result-page',
      { html: (html) => html.replace(/ data-origins="[^"]*"/, ''), origins: [shop] },
      [`The page does not trust ${service}.`, `The page does not trust ${shop}.`],
    ],
  ])('%s', (_name, page, change, expected) => {
    expect(differences(page, change)).toEqual(expected)
  })
})

describe('a page that leads back', () => {
  test.each<[string, Checked, Change, string[]]>([
    [
      'elsewhere, by its script and its link',
      'challenge-page',
      { html: replaced(`${shop}/basket`, `${evil}/basket`) },
      [`The page leads back to ${evil}/basket?a=1&b=2, which is not ours.`],
    ],
    [
      'elsewhere by its script alone',
      'result-page',
      { html: replaced(`${shop}/basket`, `${evil}/basket`) },
      [`The page leads back to ${evil}/basket, which is not ours.`],
    ],
    [
      'elsewhere by a link of its own',
      'result-page',
      { html: within(`<a href="${evil}/">Back</a>`) },
      [`The page leads back to ${evil}/, which is not ours.`],
    ],
    [
      'to a shop that was not named',
      'result-page',
      { html: replaced('/basket', '/basket/'), origins: ['https://second.example'] },
      expect.arrayContaining([`The page leads back to ${shop}/basket/, which is not ours.`]),
    ],
  ])('%s', (_name, page, change, expected) => {
    expect(differences(page, change)).toEqual(expected)
  })
})
