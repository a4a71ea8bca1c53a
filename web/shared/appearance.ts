// Applies a merchant's appearance to a page: its theme and the custom properties of tokens.css.

import { paletteOf, type Theme } from './palette.ts'
import type { Appearance } from './protocol.ts'

/**
 * `root` is the document's element or the host of a shadow tree. An invalid value leaves the default of tokens.css, even if an
 * earlier call had set another. The theme `auto` is the device's at this moment. `note` gets messages about the colours for the
 * merchant's developer.
 */
export function applyAppearance(
  root: HTMLElement,
  appearance: Appearance | null,
  note: (text: string) => void = () => {},
): void {
  const { theme, variables } = objectOf(appearance)
  const palette = paletteOf(themeOf(theme), objectOf(variables))
  root.dataset.theme = palette.theme
  palette.notes.forEach(note)
  const properties: Record<string, string | null | undefined> = {
    ...palette.colours,
    ...sizesOf(objectOf(variables)),
  }
  for (const name of names) {
    const value = properties[name]
    if (value) root.style.setProperty(`--ripper-${name}`, value)
    else root.style.removeProperty(`--ripper-${name}`)
  }
}

/** Applies it now, and again whenever the device turns dark or light. */
export function followAppearance(
  root: HTMLElement,
  appearance: () => Appearance | null,
  note?: (text: string) => void,
): void {
  const apply = () => applyAppearance(root, appearance(), note)
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  apply()
}

const names = 'background text muted danger good primary on-primary border radius size space font'.split(' ')

function themeOf(theme: unknown): Theme {
  if (theme === 'auto') return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  return theme === 'dark' ? 'dark' : 'light'
}

/** The sizes by custom property; null if a size does not suit a form. */
function sizesOf(variables: NonNullable<Appearance['variables']>) {
  return {
    radius: lengthOf(variables.borderRadius, { px_min: 0, px_max: 32 }),
    size: lengthOf(variables.fontSize, { px_min: 12, px_max: 24 }),
    space: lengthOf(variables.spacing, { px_min: 4, px_max: 40 }),
    font: fontsOf(variables.fontFamily),
  }
}

/** Exported for its tests. One rem or em counts as 16 px. */
export function lengthOf(text: unknown, { px_min, px_max }: { px_min: number; px_max: number }) {
  if (typeof text !== 'string') return null
  const [, number, unit] = /^(\d{1,3}(?:\.\d{1,3})?)(px|rem|em)$/.exec(text) ?? []
  const px = Number(number) * (unit === 'px' ? 1 : 16)
  return px >= px_min && px <= px_max ? `${number}${unit}` : null
}

/** Exported for its tests. Allows only names, quoted or not, and adds a font of the device after them. */
export function fontsOf(text: unknown): string | null {
  if (typeof text !== 'string' || text.length > 300) return null
  const fonts = text.split(',').map((font) => font.trim().replace(/^(["'])(.*)\1$/, '$2'))
  if (!fonts.every((font) => /^[\p{L}\d_. -]+$/u.test(font))) return null
  return [...fonts, 'system-ui', 'sans-serif'].map((font) => (generic.test(font) ? font : `"${font}"`)).join()
}

const generic = /^(-apple-system|(ui-)?(sans-serif|serif|monospace|rounded)|system-ui)$/

function objectOf<Shape extends object>(value: Shape | null | undefined): Partial<Shape> {
  return typeof value === 'object' && value !== null ? value : {}
}
