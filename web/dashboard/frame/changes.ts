// The live stream: one for the whole browser. It says what changed, and each page reads again what it shows.

import { useEffect } from 'react'
import { api_path } from '../client/call.ts'
import { forget } from '../client/query.ts'
import type { RouteName } from '../client/routes.ts'

/** Which answers are old after a change of this kind. New payments are announced by the list itself. */
const concerned: Record<string, RouteName[]> = {
  payment: [
    'GET /{merchant_id}/payments/{payment_id}',
    'GET /{merchant_id}/payments/{payment_id}/timeline',
    'GET /{merchant_id}/sessions/{session_id}/timeline',
    'GET /{merchant_id}/payments/{payment_id}/refunds',
    'GET /{merchant_id}/refunds',
    'GET /{merchant_id}/overview',
  ],
  hold: ['GET /{merchant_id}/holds', 'GET /{merchant_id}/payments/{payment_id}'],
  delivery: ['GET /{merchant_id}/webhooks/deliveries'],
  endpoint: ['GET /{merchant_id}/webhooks/endpoints'],
  operation: ['GET /{merchant_id}/operations'],
  key: ['GET /{merchant_id}/keys'],
  integration: ['GET /{merchant_id}/integrations'],
  member: ['GET /{merchant_id}/team', 'GET /me'],
}

/** Calls back with the kind of each change; for the list of payments. */
export const changed = new EventTarget()

/** A burst of changes is one reading. */
const gather_ms = 1_000

export function useChanges(): void {
  useEffect(() => {
    const channel = new BroadcastChannel('ripper-dashboard')
    const leaving = new AbortController()
    const kinds = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const note = (kind: string) => {
      kinds.add(kind)
      timer ??= setTimeout(() => {
        timer = undefined
        void forget(...[...kinds].flatMap((each) => concerned[each] ?? []))
        for (const each of kinds) changed.dispatchEvent(new Event(each))
        kinds.clear()
      }, gather_ms)
    }
    channel.onmessage = ({ data }) => note(String(data))
    const listenHere = () =>
      listen(leaving.signal, (kind) => {
        note(kind)
        channel.postMessage(kind)
      })
    // Whoever has the lock listens for all tabs; the next one takes over when it is closed.
    navigator.locks?.request('ripper-dashboard-stream', { signal: leaving.signal }, listenHere).catch(() => undefined)
    return () => {
      leaving.abort()
      clearTimeout(timer)
      channel.close()
    }
  }, [])
}

/** The service ends the stream with the session's lock. */
const again_ms = 30_000

/** Until the page is left. A broken connection the browser mends by itself; where the stream was refused, we try later. */
function listen(signal: AbortSignal, onKind: (kind: string) => void): Promise<void> {
  return new Promise((resolve) => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      source = new EventSource(`${api_path}/stream`)
      source.addEventListener('changed', ({ data }) => {
        const { kind } = JSON.parse(data) as { kind: string }
        onKind(kind)
      })
      source.onerror = () => {
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, again_ms)
      }
    }
    open()
    signal.addEventListener('abort', () => {
      source.close()
      clearTimeout(timer)
      resolve()
    })
  })
}
