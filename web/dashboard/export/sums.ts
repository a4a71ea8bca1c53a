// The rows and the sums of a file of movements, whose last column is what came in. Decides without any effect.

/** `sums` are in minor units. `is_cut`: the last line says that there are more rows than the file may have. */
export function sumsOf(file: string): { count: number; sums: Map<string, number>; is_cut: boolean } {
  const [heading = '', ...lines] = file
    .replace(/^\uFEFF/, '')
    .trimEnd()
    .split('\r\n')
  const place = heading.split(',').indexOf('currency')
  const sums = new Map<string, number>()
  let count = 0
  for (const line of lines) {
    // The columns before have no text of other people, which alone is quoted; nor has the last one.
    const currency = line.split(',')[place]
    const net = /,(-?\d+)(?:\.(\d+))?$/.exec(line)
    if (!currency || !net) continue
    count++
    sums.set(currency, (sums.get(currency) ?? 0) + Number(`${net[1]}${net[2] ?? ''}`))
  }
  return { count, sums, is_cut: lines.at(-1)?.startsWith('NOT ALL') ?? false }
}
