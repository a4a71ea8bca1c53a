import { expect, test } from 'vitest'
import { languageFor } from '../../kernel/words.ts'
import { challengeDocument, methodFrame } from './framed-page.ts'

const service = 'https://pay.example'
const shop = 'https://shop.example'
const bank = 'https://acs.example'

test.each([
  ['a bank', `${bank}/challenge`, true],
  ['a bank on an origin of the shop', `${shop}/challenge`, true],
  ['a bank on our host, at another port', `${service}:8443/challenge`, true],
  ['the simulated bank on our own origin', `${service}/simulator/acs`, false],
])('the frame of %s', (_, action, is_sandboxed) => {
  for (const page of [methodFrame, challengeDocument]) {
    const { body } = page({
      form: { action, fields: {} },
      language: languageFor('en', null),
      frame: { origins: [service, shop, bank], service, back: null },
    })
    expect(/<iframe [^>]* sandbox="allow-forms /.test(String(body))).toBe(is_sandboxed)
  }
})
