// What a person sees: a link that is being redeemed, the sign-in, or the frame with its screens.

import { QueryClientProvider } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { I18nProvider } from 'react-aria-components'
import { Router } from 'wouter'
import { forgetShown, queryClient, useAnswer } from './client/query.ts'
import { standingStore } from './client/standing.ts'
import { Frame } from './frame/frame.tsx'
import { LockedDialog } from './frame/locked-dialog.tsx'
import { ProofDialog } from './frame/proof-dialog.tsx'
import { RefusalAlert } from './parts/alert.tsx'
import { Boundary } from './parts/boundary.tsx'
import { Loading } from './parts/loaded.tsx'
import type { TakenLink } from './sign-in/link.ts'
import { roundEndStore } from './sign-in/round-end.ts'
import { SignIn } from './sign-in/sign-in.tsx'
import { Welcome } from './sign-in/welcome.tsx'
import { useStore } from './store.ts'
import { locale } from './words.ts'

export function App({ link }: { link: TakenLink | null }) {
  return (
    <I18nProvider locale={locale}>
      <QueryClientProvider client={queryClient}>
        <Router base="/dashboard">
          <Boundary>
            <Door link={link} />
            <ProofDialog />
            <LockedDialog />
          </Boundary>
        </Router>
      </QueryClientProvider>
    </I18nProvider>
  )
}

const me_every_ms = 60_000

function Door({ link }: { link: TakenLink | null }) {
  const [is_redeemed, setRedeemed] = useState(link === null)
  const standing = useStore(standingStore)
  // Browsers write each answer that refuses into their console, so who is not signed in does not ask who they are.
  const is_unknown = standing === 'unknown'
  const ways = useAnswer('GET /sign-in/ways', {}, { is_wanted: is_redeemed && is_unknown })
  // Until 0.1.0 a process of the release before may answer without `is_signed_in`. After it, the comparisons with true and false go.
  const may_ask = !is_unknown || ways.isError || (ways.data && ways.data.is_signed_in !== false)
  const me = useAnswer(
    'GET /me',
    {},
    {
      is_wanted: is_redeemed && may_ask === true && standing !== 'signed_out',
      every_ms: me_every_ms,
    },
  )
  useEffect(() => {
    if (standingStore.read() !== 'unknown') return
    if (ways.data?.is_signed_in === false) standingStore.write('signed_out')
    else if (me.data) standingStore.write('signed_in')
  }, [ways.data, me.data])
  if (!is_redeemed && link) {
    return <Welcome link={link} onDone={() => setRedeemed(true)} />
  }
  if (standing === 'signed_out') return <SignIn onDone={signedIn} />
  if (me.data) return <Frame me={me.data} />
  return (
    <main className="door">
      {me.error ? <RefusalAlert refused={me.error} onRetry={() => me.refetch()} /> : <Loading rows={3} />}
    </main>
  )
}

/** Nothing that another person was shown may stay. */
function signedIn(): void {
  forgetShown()
  roundEndStore.write(null)
  standingStore.write('signed_in')
}
