// An amount as people type it, in minor units.

/** Null for what is no amount of so many digits. */
export function minorUnits(typed: string, digits: number): number | null {
  const text = typed.trim().replace(',', '.')
  if (!/^\d+(\.\d+)?$/.test(text)) return null
  const [, decimals = ''] = text.split('.')
  return decimals.length > digits ? null : Math.round(Number(text) * 10 ** digits)
}
