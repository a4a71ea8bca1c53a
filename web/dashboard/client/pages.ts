// A list that is read page by page, newest first.

import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { call, type Sent } from './call.ts'
import type { Refused } from './refused.ts'
import type { ReplyOf, RouteName, Routes } from './routes.ts'

type Page<Row> = { data: Row[]; has_more: boolean; next_cursor: string | null }

/** The routes that answer a page of rows. */
type Listed = {
  [Name in RouteName]: Routes[Name] extends { query: object; reply: Page<infer _Row> } ? Name : never
}[RouteName]
type RowOf<Name extends Listed> = ReplyOf<Name> extends Page<infer Row> ? Row : never

/**
 * `every_ms` reads the first page anew this often while it is the only one that is shown. So long as no row is found, as many pages
 * as `looks_max` are read.
 */
export function usePages<Name extends Listed>(
  name: Name,
  sent: Sent<Name>,
  { every_ms, looks_max = 1 }: { every_ms?: number; looks_max?: number } = {},
) {
  const found = useInfiniteQuery<Page<RowOf<Name>>, Refused, { pages: Page<RowOf<Name>>[] }, unknown[], string | null>({
    queryKey: [name, 'pages', sent],
    initialPageParam: null,
    queryFn: ({ pageParam, signal }) => {
      const query = { ...(sent.query as object), after: pageParam }
      return call(name, { ...sent, query } as Sent<Name>, { signal }) as Promise<Page<RowOf<Name>>>
    },
    refetchInterval: ({ state }) => (every_ms && state.data?.pages.length === 1 ? every_ms : false),
    getNextPageParam: ({ has_more, next_cursor }) => (has_more ? next_cursor : undefined),
  })
  const pages = found.data?.pages ?? []
  const { hasNextPage, isFetching, isError, fetchNextPage } = found
  const is_fruitless = pages.length > 0 && pages.every(({ data }) => data.length === 0)
  const goes_on = is_fruitless && pages.length < looks_max && hasNextPage && !isError
  useEffect(() => {
    if (goes_on && !isFetching) void fetchNextPage()
  }, [goes_on, isFetching, fetchNextPage])
  return {
    answer: {
      data: goes_on ? undefined : found.data?.pages.flatMap(({ data }) => data),
      error: found.error,
      refetch: () => found.refetch(),
    },
    /** The replies so far, whole. */
    replies: (found.data?.pages ?? []) as ReplyOf<Name>[],
    has_more: found.hasNextPage,
    is_reading: found.isFetchingNextPage,
    older: () => void found.fetchNextPage(),
  }
}
