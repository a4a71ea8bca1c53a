// The filters of refused requests, in the page's address.

const names = ['askers', 'asker_id', 'route', 'code', 'request_id', 'created_from', 'created_before'] as const
export type Filters = { [Name in Exclude<(typeof names)[number], 'askers'>]?: string | undefined } & {
  askers?: 'shoppers' | undefined
}

export function filtersIn(search: URLSearchParams): Filters {
  const found = names.flatMap((name) => {
    const value = search.get(name)
    return value && (name !== 'askers' || value === 'shoppers') ? [[name, value]] : []
  })
  return Object.fromEntries(found)
}

/** Below the merchant and mode. */
export function addressOf(filters: Filters): string {
  const set = Object.entries(filters).filter(([, value]) => value)
  const search = new URLSearchParams(set as [string, string][]).toString()
  return search ? `requests?${search}` : 'requests'
}
