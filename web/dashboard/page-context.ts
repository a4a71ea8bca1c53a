// What the document hands over: language and words. Without it the page speaks English and formats as the browser does.

type PageContext = { locale: string; words: Record<string, string> | null }

export const pageContext: PageContext = read()

function read(): PageContext {
  const text = document.getElementById('context')?.textContent
  const told = (text ? JSON.parse(text) : {}) as Partial<PageContext>
  const words = told.words ?? null
  const locale = usable(told.locale ?? navigator.language)
  // Dates and figures are written in the language of the words around them.
  return { words, locale: words || locale.startsWith('en') ? locale : 'en-GB' }
}

/** A browser may call its language something that Intl throws on. */
function usable(tag: string): string {
  try {
    return new Intl.Locale(tag).baseName
  } catch {
    return 'en'
  }
}
