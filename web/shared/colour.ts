// Reads colours as a merchant may write them, and computes the contrast of two.

/** Red, green and blue from 0 to 1, in steps of 1/255 as `hexOf` writes them. */
export type Colour = readonly [red: number, green: number, blue: number]

/** #rgb, #rrggbb, rgb(), hsl() or oklch(), opaque. Null for anything else. */
export function readColour(text: unknown): Colour | null {
  if (typeof text !== 'string') return null
  const hex = /^#([\da-f]{3}|[\da-f]{6})$/i.exec(text.trim())?.[1]
  if (hex) {
    const each = hex.length === 3 ? hex.replace(/./g, '$&$&') : hex
    return clamped([0, 2, 4].map((at) => Number.parseInt(each.slice(at, at + 2), 16) / 255))
  }
  const [, space, inside] = /^(rgb|hsl|oklch)\(([^()]{1,60})\)$/.exec(text.trim().toLowerCase()) ?? []
  const values = inside?.trim().split(/\s*,\s*|\s+/)
  if (values?.length !== 3) return null
  const [a, b, c] = values as [string, string, string]
  switch (space) {
    case 'rgb':
      return clamped(values.map((value) => measure(value, '%', 255) / 255))
    case 'hsl':
      return fromHsl(measure(a, 'deg'), percent(b), percent(c))
    default:
      return fromOklch(measure(a, '%', 1), measure(b, '%', 0.4), measure(c, 'deg'))
  }
}

/** `#rrggbb` */
export function hexOf(colour: Colour): string {
  const digits = (part: number) =>
    Math.round(part * 255)
      .toString(16)
      .padStart(2, '0')
  return `#${colour.map(digits).join('')}`
}

/** The ratio of WCAG 2, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [darker, lighter] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter! + 0.05) / (darker! + 0.05)
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!
}

/** A number, perhaps with a unit; `%` is a share of `whole`. NaN for anything else. */
function measure(text: string, unit: 'deg' | '%', whole = 0): number {
  const number = text.endsWith(unit) ? text.slice(0, -unit.length) : text
  if (!/^-?(\d+\.?\d*|\.\d+)$/.test(number)) return Number.NaN
  return unit === '%' && number !== text ? (Number(number) / 100) * whole : Number(number)
}

function percent(text: string): number {
  return text.endsWith('%') ? measure(text, '%', 1) : Number.NaN
}

function fromHsl(hue: number, saturation: number, lightness: number): Colour | null {
  const chroma = saturation * Math.min(lightness, 1 - lightness)
  return clamped(
    [0, 8, 4].map((n) => {
      const k = (((n + hue / 30) % 12) + 12) % 12
      return lightness - chroma * Math.max(-1, Math.min(k - 3, 9 - k, 1))
    }),
  )
}

// Through OKLab, after the definition in CSS Color 4. What a screen cannot show is clipped.
function fromOklch(lightness: number, chroma: number, hue: number): Colour | null {
  const a = chroma * Math.cos((hue * Math.PI) / 180)
  const b = chroma * Math.sin((hue * Math.PI) / 180)
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return clamped(
    [
      4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
      -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
      -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
    ].map((part) => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)),
  )
}

function clamped(parts: number[]): Colour | null {
  if (parts.some(Number.isNaN)) return null
  const steps = parts.map((part) => Math.round(Math.min(1, Math.max(0, part)) * 255) / 255)
  return steps as unknown as Colour
}
