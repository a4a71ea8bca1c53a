import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { connectors, membersOf, membersWords } from './connectors.ts'

const guides = resolve(import.meta.dirname, '../../docs/connect')
const guide = readFileSync(resolve(guides, 'README.md'), 'utf8')

test('members are told with those in brackets that not everybody needs', () => {
  const lines = membersWords(connectors)
  expect(lines).toContainEqual(expect.stringMatching(/^stripe +secret_key, webhook_secret, \[api_url\]$/))
  expect(lines).toContainEqual(expect.stringMatching(/^adyen +api_key, .*hmac_key, \[live_prefix, /))
  expect(lines.filter((line) => line.startsWith('checkout, checkout-sessions '))).toHaveLength(1)
})

test.each(connectors.map((connector) => [connector.name, connector] as const))(
  'the guide has the members of %s, and no others',
  (name, connector) => {
    const [, needed, others] = new RegExp(`^\\| \`${name}\` \\| (.*) \\| (.*) \\|$`, 'm').exec(guide)!
    const { required, optional } = membersOf(connector)
    // A row may refer to another: `as checkout`.
    const [, like] = /^as `(.*)`$/.exec(needed!) ?? []
    if (like) {
      expect(membersOf(connectors.find((each) => each.name === like)!)).toEqual({
        required,
        optional,
      })
      return
    }
    expect(namesIn(needed!)).toEqual(required)
    expect(namesIn(others!)).toEqual(optional)
  },
)

const samples = readdirSync(guides).flatMap((page) => {
  const text = readFileSync(resolve(guides, page), 'utf8')
  const [, sample] = /## credentials\.json\n\n```json\n([^`]*)```/.exec(text) ?? []
  return sample ? [[page, sample] as const] : []
})

test('each acquirer has a sample', () => {
  const acquirers = connectors.filter(({ kind }) => kind === 'acquirer')
  const pages = samples.map(([page]) => page)
  expect(pages).toEqual(expect.arrayContaining(acquirers.map(({ name }) => `${name}.md`)))
})

test.each(samples)('the sample of %s has every member that is needed, and no unknown one', (page, sample) => {
  const { required, optional } = membersOf(connectors.find(({ name }) => `${name}.md` === page)!)
  const names = Object.keys(JSON.parse(sample))
  expect(names).toEqual(expect.arrayContaining(required))
  expect([...required, ...optional]).toEqual(expect.arrayContaining(names))
})

function namesIn(cell: string): string[] {
  return [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)
}
