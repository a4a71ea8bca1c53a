// Refused requests page by page, with the names of the keys that they came with.

import { usePages } from '../client/pages.ts'
import { useHere } from '../merchant.ts'
import type { Filters } from './search.ts'

export function useRefused(filters: Filters) {
  const { merchant_id } = useHere()
  const pages = usePages('GET /{merchant_id}/requests', { merchant_id, query: { limit: 50, ...filters } })
  const names: Record<string, string> = Object.assign({}, ...pages.replies.map(({ key_names }) => key_names))
  return { pages, names }
}
