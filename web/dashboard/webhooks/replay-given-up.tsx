// Replays all that was given up for an endpoint: batch after batch until none is left, or until the dialog is closed.

import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { Endpoint, ReplayedBatch } from '../client/answers.ts'
import { call } from '../client/call.ts'
import { forget } from '../client/query.ts'
import { Refused } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { RefusalAlert } from '../parts/alert.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { say } from '../words.ts'

type Progress = Pick<ReplayedBatch, 'replayed' | 'refused' | 'next_after'> & {
  seen: number
  total: number
  until: string | null
}

const nothing: Progress = { replayed: 0, refused: 0, seen: 0, total: 0, until: null, next_after: null }

export function ReplayGivenUp({ endpoint, onClose }: { endpoint: Endpoint; onClose: () => void }) {
  const { progress, refused, state, run } = useReplays(endpoint.id)
  const { replayed, refused: refused_count, total, seen } = progress
  return (
    <Dialog title={say('replay_given_up')} onClose={onClose}>
      <p className="breakable">{endpoint.url}</p>
      <p>{say('replay_given_up_words')}</p>
      {state === 'running' && total > 0 && <progress aria-label={say('replay_given_up')} max={total} value={seen} />}
      <p role="status">
        {state === 'done' &&
          (total === 0 ? say('nothing_given_up') : say('replays_accepted', { replayed, refused: refused_count }))}
      </p>
      <RefusalAlert refused={refused} />
      <DialogActs>
        <Button onClick={onClose}>{say('close')}</Button>
        {state !== 'done' && (
          <Button look="primary" is_busy={state === 'running'} onClick={run}>
            {say('replay_all')}
          </Button>
        )}
      </DialogActs>
    </Dialog>
  )
}

/** A batch that was lost on its way is asked for again: the service replays nothing twice. */
function useReplays(endpoint_id: string) {
  const { merchant_id, pathOf } = useHere()
  const [, navigate] = useLocation()
  const [progress, setProgress] = useState(nothing)
  const [refused, setRefused] = useState<Refused | null>(null)
  const [state, setState] = useState<'idle' | 'running' | 'done'>('idle')
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])

  async function run() {
    setState('running')
    setRefused(null)
    let at = progress
    try {
      do {
        at = sumOf(at, await next(at))
        setProgress(at)
      } while (at.next_after !== null && mounted.current)
      setState('done')
      // What was replayed is no longer given up, so a list of that alone would show nothing of it.
      if (at.seen > 0) navigate(pathOf('webhooks'))
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      setRefused(error)
      setState('idle')
    }
    await forget('GET /{merchant_id}/webhooks/deliveries', 'GET /{merchant_id}/webhooks/endpoints')
  }

  function next({ until, next_after: after }: Progress): Promise<ReplayedBatch> {
    const body = { ...(until && { until }), ...(after && { after }) }
    const name = 'POST /{merchant_id}/webhooks/endpoints/{endpoint_id}/replay'
    return call(name, { merchant_id, endpoint_id, body })
  }

  return { progress, refused, state, run: () => void run() }
}

function sumOf(before: Progress, batch: ReplayedBatch): Progress {
  const { replayed, refused, already_replayed, until, next_after } = batch
  return {
    replayed: before.replayed + replayed,
    refused: before.refused + refused,
    seen: before.seen + replayed + refused + already_replayed,
    total: batch.total ?? before.total,
    until,
    next_after,
  }
}
