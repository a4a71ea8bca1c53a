// Warns of a merchant's colours that cannot be read, with the same code that the pages use.

import type { z } from 'zod'
import type { paletteOf, Theme } from '../../../web/shared/palette.ts'
import type { appearanceRules, IntegrationRules } from '../../merchants/integration.ts'
import { printLine } from '../terminal/print.ts'

const built = new URL('../../../dist/web/palette.mjs', import.meta.url)

/**
 * For each colour of an appearance that is too close to its background: the contrast of the two, and the colour that is shown
 * instead. Without a theme the colour is checked against both, because the hosted page then follows the device.
 */
export async function colourWarnings(rules: Partial<IntegrationRules>): Promise<string[]> {
  const appearance = rules.appearance as z.output<typeof appearanceRules> | null | undefined
  if (!appearance) return []
  const { theme, variables } = appearance
  const palette = (await import(built.href)) as { paletteOf: typeof paletteOf }
  const themes: Theme[] = theme === 'light' || theme === 'dark' ? [theme] : ['light', 'dark']
  return [...new Set(themes.flatMap((each) => palette.paletteOf(each, variables).notes))]
}

export function printWarnings(warnings: string[]): void {
  for (const words of warnings) printLine(`\nWarning: ${words}`)
}
