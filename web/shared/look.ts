// The card fields' look, handed on to the checkout around them: what an appearance comes to is worked out in the frame alone.

/** Tells the style text of a page's custom properties and scheme, now and whenever they change: a device turns dark. */
export function followLook(root: HTMLElement, tell: (style: string) => void): void {
  const tellNow = () => tell(styleOf(getComputedStyle(root)))
  new MutationObserver(tellNow).observe(root, { attributeFilter: ['style', 'data-theme'] })
  tellNow()
}

/** As in tokens.css. */
const names =
  'primary on-primary background text muted border danger good test test-background radius size space font'

function styleOf(computed: CSSStyleDeclaration): string {
  const properties = names.split(' ').map((name) => `--ripper-${name}`)
  return ['color-scheme', ...properties]
    .map((name) => `${name}:${computed.getPropertyValue(name)}`)
    .join(';')
}
