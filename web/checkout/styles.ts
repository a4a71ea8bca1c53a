// Style sheets of shadow roots.

import { element } from '../shared/element.ts'
import { nonce } from './origin.ts'

/** The page's policy does not judge a sheet that a script constructs. iOS before 16.4 constructs none. */
export function addStyle(root: ShadowRoot, text: string): void {
  try {
    const sheet = new CSSStyleSheet()
    sheet.replaceSync(text)
    root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  } catch {
    root.append(element('style', { nonce }, text))
  }
}
