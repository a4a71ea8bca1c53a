// The QR code of a payment link: for a page as a drawing, for a terminal as text.

import encodeQR from 'qr'

/** Modules of light around it, as the standard wants. */
const border = 4

/** The dark modules as the path of an SVG drawing, of which `size` is the width and height. */
export function qrDrawing(url: string): { size: number; path: string } {
  const rows = encodeQR(url, 'raw', { border })
  const runs = rows.flatMap((row, y) =>
    [
      ...row
        .map((is_dark) => (is_dark ? 'x' : ' '))
        .join('')
        .matchAll(/x+/g),
    ].map(({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}z`),
  )
  return { size: rows.length, path: runs.join('') }
}

/** Lines of block characters: what they fill is light. */
export function qrLines(url: string): string[] {
  return encodeQR(url, 'ascii').trimEnd().split('\n')
}
