// PostgreSQL's text form of one-dimensional arrays: `{a,"b c",NULL}`.

/** `{"1","2",NULL}`; each item as its own type spells it. */
export function writeArray<T>(items: readonly (T | null)[], write: (item: T) => string): string {
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&')}"`
  return `{${items.map((item) => (item === null ? 'NULL' : quoted(write(item)))).join(',')}}`
}

export function readArray<T>(text: string, read: (item: string) => T): (T | null)[] {
  if (!/^\{(?!\{)/.test(text)) throw new TypeError('an array of several dimensions was read')
  // An item is quoted, with backslashes before what would end it, or bare.
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,"{}]+)/gs)
  return Array.from(items, ([, quoted, bare]) => {
    if (quoted !== undefined) return read(quoted.replace(/\\(.)/gs, '$1'))
    return bare === 'NULL' ? null : read(bare!)
  })
}
