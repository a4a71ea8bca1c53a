// Whatever a merchant chooses, everything can be read.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrast, readColour } from './colour.ts'
import { defaults, type Palette, paletteOf } from './palette.ts'

test.each([
  ['nothing', {}, {}],
  ['a primary', { colorPrimary: '#0a7d5c' }, { primary: '#0a7d5c', 'on-primary': '#ffffff' }],
  ['a light primary', { colorPrimary: '#e07a00' }, { primary: '#e07a00', 'on-primary': '#000000' }],
  ['a primary that cannot be seen', { colorPrimary: '#8fe0b0' }, { primary: '#60937b', 'on-primary': '#000000' }],
  ['a text that cannot be read', { colorText: '#999' }, {}],
  ['a danger that cannot be read', { colorDanger: '#ff8080' }, { danger: '#a3595e' }],
  ['a border that cannot be seen', { colorBorder: '#ddd' }, {}],
  ['a border', { colorBorder: 'rgb(0, 0, 0)' }, { border: '#000000' }],
  ['a background', { colorBackground: '#fbf7f0' }, { background: '#fbf7f0' }],
  ['no colour', { colorText: 'red', colorPrimary: 'var(--x)' }, {}],
  ['the default', { colorText: '#1a1f2b' }, {}],
])('with %s', (_, variables, colours) => {
  expect(paletteOf('light', variables)).toEqual({
    theme: 'light',
    colours,
    notes: expect.any(Array),
  })
})

test('a colour for a light page keeps its hue on a dark one, and it is said', () => {
  const { colours, notes } = paletteOf('dark', { colorPrimary: '#2f5d46' })
  const [red, green, blue] = readColour(colours.primary)!
  expect(green).toBeGreaterThan(Math.max(red, blue))
  expect(contrast(readColour(colours.primary)!, readColour(defaults.dark.background)!)).toBeGreaterThan(3)
  expect(notes).toEqual([`colorPrimary #2f5d46 has a contrast of 2.4 on #14181f; ${colours.primary} is shown instead.`])
})

test.each([
  ['all that can be read', { colorPrimary: '#0a7d5c', colorText: '#000' }, []],
  ['what is no colour', { colorPrimary: 'red' }, []],
  ['a text', { colorText: '#999' }, ['colorText']],
  ['a border', { colorBorder: '#ddd' }, ['colorBorder']],
])('of %s is said what is not shown', (_, variables, named) => {
  expect(paletteOf('light', variables).notes.map((note) => note.split(' ')[0])).toEqual(named)
})

test('a dark background brings the dark theme, and a light one the light theme', () => {
  expect(paletteOf('light', { colorBackground: '#101014' }).theme).toBe('dark')
  expect(paletteOf('dark', { colorBackground: '#fff' })).toMatchObject({
    theme: 'light',
    colours: {},
  })
})

test('on a background that no text can be read on, all stays as it is', () => {
  expect(paletteOf('light', { colorBackground: '#777' })).toMatchObject({
    theme: 'light',
    colours: {},
  })
})

describe('whatever is chosen', () => {
  const colour = fc.option(
    fc.integer({ min: 0, max: 0xffffff }).map((value) => `#${value.toString(16).padStart(6, '0')}`),
    { nil: undefined },
  )
  const variables = fc.record({
    colorPrimary: colour,
    colorBackground: colour,
    colorText: colour,
    colorDanger: colour,
    colorBorder: colour,
  })
  const of = ({ theme, colours }: Palette, name: keyof typeof defaults.light) =>
    readColour(colours[name] ?? defaults[theme][name])!

  test('text has 4.5 and marks have 3', () => {
    fc.assert(
      fc.property(fc.constantFrom('light', 'dark'), variables, (theme, chosen) => {
        const palette = paletteOf(theme, chosen)
        const against = (name: keyof typeof defaults.light) => contrast(of(palette, name), of(palette, 'background'))
        for (const name of ['text', 'muted', 'danger', 'good'] as const) {
          expect(against(name)).toBeGreaterThanOrEqual(4.5)
        }
        for (const name of ['primary', 'border'] as const) {
          expect(against(name)).toBeGreaterThanOrEqual(3)
        }
        const label = palette.colours['on-primary']
        if (label) {
          expect(contrast(readColour(label)!, of(palette, 'primary'))).toBeGreaterThanOrEqual(4.5)
        }
      }),
      { numRuns: 1000 },
    )
  })
})
