// TanStack Query around the typed client: answers kept by route and parameters, shown old while they are read anew.

import { keepPreviousData, QueryClient, useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { call, newIdempotencyKey, type Sent } from './call.ts'
import { Refused } from './refused.ts'
import type { ReplyOf, RouteName } from './routes.ts'

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) => failures < 3 && isPassing(error),
      retryDelay: (failures, error) => ((error instanceof Refused && error.retry_after) || 2 ** failures) * 1000,
    },
    // What an act sent and was answered may be a secret: it is forgotten with the dialog that shows it.
    mutations: { retry: false, gcTime: 0 },
  },
})

/** What a later try may mend: no answer, a busy server. */
function isPassing(error: unknown): boolean {
  return error instanceof Refused && (error.status === 0 || error.status >= 500)
}

type AnswerOptions = {
  is_wanted?: boolean
  /** Reads anew this often while the page is seen. */
  every_ms?: number
  /** Shows the answer to other parameters until this one has come. */
  keep_before?: boolean
}

export function useAnswer<Name extends RouteName>(
  name: Name,
  sent: Sent<Name>,
  { is_wanted = true, every_ms, keep_before = false }: AnswerOptions = {},
) {
  return useQuery<ReplyOf<Name>, Refused>({
    queryKey: [name, sent],
    queryFn: ({ signal }) => call(name, sent, { signal }),
    enabled: is_wanted,
    ...(every_ms && { refetchInterval: every_ms }),
    ...(keep_before && { placeholderData: keepPreviousData }),
  })
}

/** A request that was sent and has no final answer, with its idempotency key. */
type Begun<Name extends RouteName> = {
  key: string
  sent: Sent<Name>
  /** An answer was lost, so it may have been carried out. */
  is_lost: boolean
}

const begun_name = 'begun'
// As long as the page: nothing here tells when an answer that was lost no longer matters.
queryClient.setQueryDefaults([begun_name], { gcTime: Number.POSITIVE_INFINITY })

/** Forgets all that a person was shown. What was sent and has no answer stays, under the person's own intents. */
export function forgetShown(): void {
  queryClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== begun_name })
  queryClient.getMutationCache().clear()
}

/**
 * An act of the person. `forgets` names the routes whose answers are old after it. One idempotency key belongs to one
 * intent: it is kept until the act has succeeded or was refused for good, so that pressing again acts once. With the name
 * of an `intent`, which names its person, that outlives the dialog: `unanswered` is what was sent without a final answer, by
 * this dialog or one before. `onDone` hears of the success even if what began the act, such as a row, has left the page by then.
 */
export function useAct<Name extends RouteName>(
  name: Name,
  forgets: RouteName[] = [],
  intent: string | null = null,
  onDone: (reply: ReplyOf<Name>) => void = () => {},
) {
  const place = [begun_name, intent]
  const left = () => queryClient.getQueryData<Begun<Name>>(place) ?? null
  const begun = useRef<Begun<Name> | null>(left())
  const running = useRef(false)
  const keep = (next: Begun<Name> | null) => {
    begun.current = next
    if (intent === null) return
    if (next) queryClient.setQueryData<Begun<Name>>(place, next)
    else queryClient.removeQueries({ queryKey: place, exact: true })
  }
  const act = useMutation<ReplyOf<Name>, Refused, Sent<Name>>({
    mutationFn: (sent) => {
      const { key, is_lost } = begun.current ?? { key: newIdempotencyKey(), is_lost: false }
      keep({ key, sent, is_lost })
      return call(name, sent, { idempotency_key: key })
    },
    onSuccess: (reply) => {
      keep(null)
      onDone(reply)
    },
    onError: (error) => {
      if (isPassing(error)) keep({ ...begun.current!, is_lost: true })
      else if (!isStillRunning(error) && (!begun.current!.is_lost || isFinal(error))) keep(null)
    },
    onSettled: () => {
      running.current = false
      return forget(...forgets)
    },
  })
  // A second press may come before the page has been drawn anew.
  const mutate: typeof act.mutate = (...sent) => {
    if (running.current) return
    running.current = true
    act.mutate(...sent)
  }
  return { ...act, mutate, unanswered: left()?.sent ?? null }
}

/** The first request under the key has no answer yet. */
function isStillRunning({ code }: Refused): boolean {
  return code === 'idempotency_key_in_use' || code === 'idempotency_key_reused'
}

/** Whether a refusal was given after the look-up of the key: those at the door say nothing of an earlier request. */
function isFinal({ status, code }: Refused): boolean {
  return [400, 404, 409, 422].includes(status) || code === 'refund_limit_exceeded'
}

/** Reads the answers of these routes anew where they are shown now, and every other answer where it is shown next. */
export async function forget(...names: RouteName[]): Promise<void> {
  await queryClient.invalidateQueries({ refetchType: 'none' })
  await Promise.all(names.map((name) => queryClient.invalidateQueries({ queryKey: [name] })))
}
