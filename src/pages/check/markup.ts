// Reads the tags of a page as a browser does, but only the small part of HTML that our pages use. Everything else is an oddity. No
// page of ours has one, and a reader that guessed differently from a browser would miss a script.

export type Tag = {
  name: string
  /** Values with their numeric character references resolved. If an attribute is there twice, the first counts. */
  attributes: Map<string, string>
  /** The text in a script, style, title, iframe or noscript; null for other elements. */
  text: string | null
}

/** The opening tags, and the beginning of each oddity. */
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
      // The end of a comment, doctype or instruction is easily mistaken, so the reader looks inside, too.
      if (/[!?/]/.test(html[at + 1] ?? '')) markup.oddities.push(excerpt(html, at))
      at += 1
    }
  }
}

/** Elements whose content is text, not tags, up to their end tag. */
const holding_text = ['script', 'style', 'title', 'iframe', 'noscript']

/** Returns where to read on: after the tag and the text of its element. */
function readElement(html: string, { at, closes }: { at: number; closes: boolean }, markup: Markup): number {
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
    // Browsers without scripts read this text as tags.
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

/** The tag whose name begins at `at`. Null if the page ends inside it, because a browser drops such a tag. */
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
    // There are too many named references to know them all, and no page of ours has one.
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
