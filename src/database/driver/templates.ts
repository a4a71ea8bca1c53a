// Templates that are made while the service runs, as if they stood in the code.

const templates = new Map<string, TemplateStringsArray>()

/** The spelling of statements stores something for each template, so equal templates must be the same object. */
export function template(texts: string[]): TemplateStringsArray {
  const key = texts.join('\0')
  const cachedTemplate = templates.get(key)
  if (cachedTemplate) return cachedTemplate
  const newTemplate = Object.assign(texts, { raw: [...texts] })
  templates.set(key, newTemplate)
  return newTemplate
}
