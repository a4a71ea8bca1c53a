// Opens tracing if the operator named a collector. Otherwise none of its libraries is loaded.

import type { Config } from '../../config/config.ts'
import type { OpenedTracing } from '../../kernel/tracing.ts'
import type { World } from '../../kernel/world.ts'

export async function openTracing(
  { traces: { endpoint, headers, share } }: Pick<Config, 'traces'>,
  world: Pick<World, 'clock' | 'log'>,
): Promise<OpenedTracing | null> {
  if (endpoint === null) return null
  const { openSpans } = await import('./spans.ts')
  return openSpans({ endpoint, headers: headers ?? {}, share }, world)
}
