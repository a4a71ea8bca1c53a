// Elements of a page, made one by one: no text is ever read as HTML.

type Child = Node | string | null

/** `element('p', { class: 'note' }, 'Text')`. An attribute that is null is left out, as is a child. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | null> = {},
  ...children: Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  setAttributes(made, attributes)
  made.append(...children.filter((child) => child !== null))
  return made
}

/** A drawing: `[['path', { d: 'M0 0h8' }]]`. Hidden from screen readers, so a text must say the same. */
export function drawing(view_box: string, shapes: Shape[]): SVGSVGElement {
  const svg = document.createElementNS(svg_names, 'svg')
  setAttributes(svg, { viewBox: view_box, 'aria-hidden': 'true', focusable: 'false' })
  for (const [name, attributes] of shapes) {
    const shape = document.createElementNS(svg_names, name)
    setAttributes(shape, attributes)
    svg.append(shape)
  }
  return svg
}

export type Shape = [name: string, attributes: Record<string, string>]

const svg_names = 'http://www.w3.org/2000/svg'

function setAttributes(target: Element, attributes: Record<string, string | null>) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null) target.setAttribute(name, value)
  }
}

/** A button that does not send a form. */
export function button(attributes: Record<string, string>, text: string, press: () => void) {
  const made = element('button', { type: 'button', ...attributes }, text)
  made.addEventListener('click', press)
  return made
}

/** What the server wrote into the page beside the script. */
export function readContext<Context>(): Context {
  return JSON.parse(document.getElementById('context')!.textContent!) as Context
}
