// Reads the tags of our own pages. It knows no more of HTML than they use, and throws at whatever else is there.

export type Tag = { name: string; attributes: Map<string, string>; text: string | null }

const attributes = '(?: [\\w-]+(?:="[^"]*")?)*'
const part = new RegExp(
  `<!doctype html>|[^<]+|</\\w+>|<(script|style)(${attributes})>(.*?)</\\1>|<(\\w+)(${attributes})>`,
  'gsy',
)

/** The opening tags; scripts and style sheets with their text. */
export function tagsOf(html: string): Tag[] {
  let end = 0
  const tags = [...html.matchAll(part)].flatMap(([all, holder, holding, text, name = holder, own = holding]) => {
    end += all.length
    return name ? [{ name, attributes: attributesIn(own!), text: text ?? null }] : []
  })
  if (end < html.length) throw new Error(`not as our pages are written: ${html.slice(end, end + 40)}`)
  return tags
}

function attributesIn(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/ ([\w-]+)(?:="([^"]*)")?/g)].map(([, name, value = '']) => {
      if (/&[a-z]/i.test(value)) throw new Error(`not as our pages escape: ${value.slice(0, 40)}`)
      return [name!, value.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))]
    }),
  )
}
