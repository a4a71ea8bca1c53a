// The colours that scripts measure contrast against are those that the pages have.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readColour } from '../../web/shared/colour.ts'
import { defaults } from '../../web/shared/palette.ts'

const tokens = readFileSync(new URL('../../web/shared/tokens.css', import.meta.url), 'utf8')
const [, light, dark] = tokens.split(/^:root/m)

test.each([
  ['light', light],
  ['dark', dark],
] as const)('the defaults of the %s theme are those of tokens.css', (theme, block) => {
  const written = Object.fromEntries(
    [...block!.matchAll(/--ripper-(\w+): (#[\da-f]+);/g)].map(([, name, value]) => [name, value]),
  )
  for (const [name, value] of Object.entries(defaults[theme])) {
    expect([name, readColour(written[name])]).toEqual([name, readColour(value)])
  }
})
