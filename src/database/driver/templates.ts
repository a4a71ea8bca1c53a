// Templates that are made while the service runs, as if they stood in the code.

const templates = new Map<string, TemplateStringsArray>()

/** Whoever spells a statement keeps something for each template that it meets, so equal ones must be the same. */
export function template(texts: string[]): TemplateStringsArray {
  const spelled = texts.join('\0')
  const cachedTemplate = templates.get(spelled)
  if (cachedTemplate) return cachedTemplate
  const newTemplate = Object.assign(texts, { raw: [...texts] })
  templates.set(spelled, newTemplate)
  return newTemplate
}
