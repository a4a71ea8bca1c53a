// Keyboards that are not a desktop's: whole words at once, compositions, keys without a name. Each of them pays.

import type { CDPSession, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { cardFields, cards, payButton } from './shopper.ts'
import { openTheatre } from './theatre.ts'

const theatre = openTheatre()

type Typing = (keyboard: CDPSession, text: string) => Promise<unknown>

const insert: Typing = (keyboard, text) => keyboard.send('Input.insertText', { text })
const compose: Typing = (keyboard, text) =>
  keyboard.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
/** Android's name for a key that the input method has taken. */
const unnamed = { windowsVirtualKeyCode: 229, key: 'Unidentified', code: '' }

const wide = (text: string) => text.replace(/\d/g, (digit) => String.fromCodePoint(digit.codePointAt(0)! + 0xfee0))

const keyboards: Record<string, Typing> = {
  'a whole text without a key': insert,

  'digits whose keys have no name': async (keyboard, text) => {
    for (const each of text) {
      await keyboard.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...unnamed })
      await insert(keyboard, each)
      await keyboard.send('Input.dispatchKeyEvent', { type: 'keyUp', ...unnamed })
    }
  },

  'a composition that grows, and is committed': async (keyboard, text) => {
    for (let end = 1; end <= text.length; end++) await compose(keyboard, text.slice(0, end))
    await insert(keyboard, text)
  },

  'a suggestion with a space behind it': (keyboard, text) => insert(keyboard, `${text} `),

  'groups, each with a space behind it': async (keyboard, text) => {
    for (const group of text.match(/.{1,4}/g)!) await insert(keyboard, `${group} `)
  },

  'full-width digits of an input method': async (keyboard, text) => {
    await compose(keyboard, wide(text))
    await insert(keyboard, wide(text))
  },

  'dictated digits, with spaces between them': (keyboard, text) => insert(keyboard, [...text].join(' ')),
}

async function open(): Promise<{ page: Page; keyboard: CDPSession }> {
  const address = `${theatre.stage.pay_url}?sku=tea&email=jo@example.com`
  const page = await theatre.arrive(address)
  await payButton(page).waitFor()
  return { page, keyboard: await page.context().newCDPSession(page) }
}

const shownIn = (page: Page, label: string) => cardFields(page).getByLabel(label).inputValue()

test.each(Object.keys(keyboards))('%s', async (name) => {
  const { page, keyboard } = await open()
  const type = keyboards[name]!
  for (const [label, text] of [
    ['Card number', cards.approved],
    ['Expiry date', '1239'],
    ['Security code', '123'],
  ] as const) {
    await cardFields(page).getByLabel(label).focus()
    await type(keyboard, text)
  }
  const shown = ['Card number', 'Expiry date', 'Security code'].map((label) => shownIn(page, label))
  expect(await Promise.all(shown)).toEqual(['4000 0091 0002 0000', '12 / 39', '123'])
  await payButton(page).click()
  await page.getByRole('heading', { name: 'Payment complete' }).waitFor()
})

test('what the keyboard takes back and puts again is there once', async () => {
  const { page, keyboard } = await open()
  await cardFields(page).getByLabel('Card number').focus()
  await insert(keyboard, '4000')
  // The keyboard replaces what stands before the caret, as after a correction.
  await keyboard.send('Input.imeSetComposition', {
    text: '4000 0091',
    selectionStart: 9,
    selectionEnd: 9,
    replacementStart: 0,
    replacementEnd: 5,
  })
  await insert(keyboard, '4000 0091')
  expect(await shownIn(page, 'Card number')).toBe('4000 0091')
})
