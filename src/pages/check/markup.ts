// Reads the tags of a page as a browser does, in the little HTML that our pages are written in. What goes beyond it is
// an oddity: no page of ours has one, and a reader that guessed otherwise than a browser would miss a script.

export type Tag = {
  name: string
  /** Values with their numeric character references resolved. Given twice, the first counts. */
  attributes: Map<string, string>
  /** What stands in a script, style, title, iframe or noscript; null in other elements. */
  text: string | null
}

/** Opening tags, and how whatever is odd begins. */
export type Markup = { tags: Tag[]; oddities: string[] }

export function readMarkup(html: string): Markup {
  const markup: Markup = { tags: [], oddities: [] }
  let at = /^\s*<!doctype html>/i.exec(html)?.[0].length ?? 0
  for (;;) {
    at = html.indexOf('<', at)
    if (at === -1) return markup
    const [, slash, letter] = /^<(\/?)([a-z]?)/i.exec(html.slice(at, at + 3))!
    if (letter) {
      at = readElement(html, { at, closes: slash !== '' }, markup)
    } else {
      // A comment, another doctype, an instruction: where one ends is easily mistaken, so its inside is read too.
      if (/[!?/]/.test(html[at + 1] ?? '')) markup.oddities.push(excerpt(html, at))
      at += 1
    }
  }
}

/** Their content is text and no tags, up to their end tag. */
const holding_text = ['script', 'style', 'title', 'iframe', 'noscript']

/** Gives where to read on: behind the tag, and behind the text that its element holds. */
function readElement(
  html: string,
  { at, closes }: { at: number; closes: boolean },
  markup: Markup,
): number {
  const tag = readTag(html, at + (closes ? 2 : 1), markup)
  if (tag === null) {
    markup.oddities.push(excerpt(html, at))
    return html.length
  }
  const { name, attributes, end } = tag
  const holds_text = !closes && holding_text.includes(name)
  const closing = holds_text ? html.slice(end).search(endOf[name]!) : 0
  const text = holds_text ? html.slice(end, closing === -1 ? undefined : end + closing) : null
  if (closing === -1) markup.oddities.push(excerpt(html, at))
  if (!closes) markup.tags.push({ name, attributes, text })
  if (name === 'noscript' && text) {
    // What is for browsers without scripts those read as tags.
    const inner = readMarkup(text)
    markup.tags.push(...inner.tags)
    markup.oddities.push(...inner.oddities)
  }
  return end + (text?.length ?? 0)
}

const endOf: Record<string, RegExp> = Object.fromEntries(
  holding_text.map((name) => [name, new RegExp(`</${name}[\\t\\n\\f\\r />]`, 'i')]),
)

type ReadTag = Pick<Tag, 'name' | 'attributes'> & { end: number }

/** The tag whose name begins at `at`, or null where the page ends before it does: a browser drops such a tag. */
function readTag(html: string, at: number, { oddities }: Markup): ReadTag | null {
  const attributes = new Map<string, string>()
  const reader = readerAt(html, at)
  const name = reader.take(/[^\t\n\f\r />]+/y).toLowerCase()
  for (;;) {
    reader.take(/[\t\n\f\r /]+/y)
    if (reader.take(/>/y)) return { name, attributes, end: reader.at() }
    if (reader.at() >= html.length) return null
    const attribute = reader.take(/=?[^\t\n\f\r />=]*/y).toLowerCase()
    const value = readValue(reader)
    // Named references are many, and no page of ours has one.
    if (/&[a-z]/i.test(value)) oddities.push(`${attribute}="${value.slice(0, 40)}"`)
    if (!attributes.has(attribute)) attributes.set(attribute, resolved(value))
  }
}

function readValue(reader: Reader): string {
  if (!reader.take(/[\t\n\f\r ]*=[\t\n\f\r ]*/y)) return ''
  const quote = reader.take(/["']/y)
  if (!quote) return reader.take(/[^\t\n\f\r >]+/y)
  const value = reader.take(quote === '"' ? /[^"]+/y : /[^']+/y)
  reader.take(/["']/y)
  return value
}

type Reader = { take(pattern: RegExp): string; at(): number }

function readerAt(html: string, start: number): Reader {
  let at = start
  return {
    take(pattern) {
      pattern.lastIndex = at
      const found = pattern.exec(html)?.[0] ?? ''
      at += found.length
      return found
    },
    at: () => at,
  }
}

function resolved(value: string): string {
  return value.replace(/&#(?:x([0-9a-f]+)|(\d+));?/gi, (all, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal)
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all
  })
}

function excerpt(html: string, at: number): string {
  return html.slice(at, at + 40).split('\n')[0]!
}
