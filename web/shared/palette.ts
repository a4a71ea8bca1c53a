// The colours of a checkout: those that the merchant chose, if everything can still be read.

import { type Colour, contrast, hexOf, readColour } from './colour.ts'
import type { Appearance } from './protocol.ts'

export type Theme = 'light' | 'dark'
export type ColourName = 'background' | 'text' | 'muted' | 'danger' | 'good' | 'primary' | 'border'
export type Palette = {
  theme: Theme
  /** By their custom properties without `--ripper-`, as #rrggbb. Only those that differ from tokens.css. */
  colours: Partial<Record<ColourName | 'on-primary', string>>
  /** For the merchant's developer: which chosen colour has too little contrast, and what is shown instead. */
  notes: string[]
}

/** As in tokens.css. */
export const defaults: Record<Theme, Record<ColourName, string>> = {
  light: {
    background: '#ffffff',
    text: '#1a1f2b',
    muted: '#5a6373',
    danger: '#b3261e',
    good: '#1a7546',
    primary: '#1d4ed8',
    border: '#858e9e',
  },
  dark: {
    background: '#14181f',
    text: '#eef1f6',
    muted: '#a9b2c1',
    danger: '#ff9d94',
    good: '#6fd29f',
    primary: '#8ab0ff',
    border: '#7b8698',
  },
}

/** The contrasts of text and of controls: WCAG 2.2, 1.4.3 and 1.4.11. */
const text_contrast_min = 4.5
const mark_contrast_min = 3

/**
 * Replaces a chosen colour that has too little contrast with the background. The colour of buttons or errors becomes another shade of
 * itself, and any other colour becomes the default. A default becomes the text's colour. A background that belongs to the other theme
 * brings that theme with it.
 */
export function paletteOf(wanted: Theme, chosen: Appearance['variables'] = {}): Palette {
  const { theme, background } = groundOf(wanted, readColour(chosen.colorBackground))
  const standard = defaults[theme]
  const legible = (contrast_min: number, ...colours: (string | undefined)[]) =>
    colours.map(readColour).find((colour) => colour !== null && contrast(colour, background) >= contrast_min)

  const text = legible(text_contrast_min, chosen.colorText, standard.text)!
  /** Some shade can be read, because the shades lead to the text's colour, which can. */
  const shadeOf = (name: string | undefined, contrast_min: number) => {
    const colour = readColour(name)
    const shades = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tenths) =>
      colour ? hexOf(mixed(colour, text, tenths / 10)) : undefined,
    )
    return legible(contrast_min, ...shades)
  }
  const primary =
    shadeOf(chosen.colorPrimary, mark_contrast_min) ?? legible(mark_contrast_min, standard.primary) ?? text
  const taken: Record<ColourName, Colour> = {
    background,
    text,
    primary,
    muted: legible(text_contrast_min, standard.muted) ?? text,
    danger: shadeOf(chosen.colorDanger, text_contrast_min) ?? legible(text_contrast_min, standard.danger) ?? text,
    good: legible(text_contrast_min, standard.good) ?? text,
    border: legible(mark_contrast_min, chosen.colorBorder, standard.border) ?? text,
  }
  const colours: Palette['colours'] = {}
  for (const [name, colour] of Object.entries(taken) as [ColourName, Colour][]) {
    if (hexOf(colour) !== standard[name]) colours[name] = hexOf(colour)
  }
  // White or black can be read on any colour.
  if (colours.primary) colours['on-primary'] = whiteOrBlack(primary)
  const notes: string[] = []
  for (const [variable, name] of chosenNames) {
    const wished = readColour(chosen[variable])
    const shown = hexOf(taken[name])
    if (!wished || hexOf(wished) === shown) continue
    const ratio = contrast(wished, background).toFixed(1)
    notes.push(
      `${variable} ${hexOf(wished)} has a contrast of ${ratio} on ${hexOf(background)}; ${shown} is shown instead.`,
    )
  }
  return { theme, colours, notes }
}

const chosenNames = [
  ['colorPrimary', 'primary'],
  ['colorText', 'text'],
  ['colorDanger', 'danger'],
  ['colorBorder', 'border'],
] as const

function mixed(one: Colour, other: Colour, share: number): Colour {
  return one.map((part, at) => part + (other[at]! - part) * share) as unknown as Colour
}

function groundOf(wanted: Theme, chosen: Colour | null): { theme: Theme; background: Colour } {
  for (const theme of [wanted, wanted === 'light' ? 'dark' : 'light'] as const) {
    const text = readColour(defaults[theme].text)!
    if (chosen && contrast(chosen, text) >= text_contrast_min) return { theme, background: chosen }
  }
  return { theme: wanted, background: readColour(defaults[wanted].background)! }
}

function whiteOrBlack(ground: Colour): string {
  return contrast(ground, [1, 1, 1]) >= text_contrast_min ? '#ffffff' : '#000000'
}
