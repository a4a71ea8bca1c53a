// Charges and refunds for which an acquirer's record differs from ours. Closing one changes nothing else.

import { useState } from 'react'
import { Link } from 'wouter'
import type { Orphans } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { Button } from '../parts/button.tsx'
import { differenceWords, sideWords } from '../parts/difference.ts'
import { Moment } from '../parts/moment.tsx'
import { Section } from '../parts/screen.tsx'
import { Table } from '../parts/table.tsx'
import { say } from '../words.ts'
import { ReasonDialog } from './reason-dialog.tsx'

type Finding = Orphans['findings'][number]

export function Findings({ findings }: Pick<Orphans, 'findings'>) {
  const [closed, setClosed] = useState<Finding | null>(null)
  return (
    <Section title={say('findings')}>
      <p className="hint">{say('findings_words')}</p>
      {findings.length === 0 ? (
        <p>{say('no_findings')}</p>
      ) : (
        <Table
          label={say('findings')}
          rows={findings}
          keyOf={({ acquirer, reference, kind }) => `${acquirer} ${reference} ${kind}`}
          columns={[
            {
              name: say('reference'),
              kind: 'first',
              cell: ({ reference, merchant_id, mode, payment_id }) => (
                <>
                  <code className="breakable">{reference}</code>{' '}
                  <Link className="hint" href={`/${merchant_id}/${mode}/payments/${payment_id}`}>
                    {payment_id}
                  </Link>
                </>
              ),
            },
            { name: say('acquirer'), cell: ({ acquirer }) => acquirer },
            { name: say('difference'), cell: differenceWords },
            { name: say('here'), kind: 'named', cell: ({ ours }) => sideWords(ours) },
            { name: say('there'), kind: 'named', cell: ({ theirs }) => sideWords(theirs) },
            {
              name: say('found_at'),
              kind: 'second',
              cell: ({ found_at }) => <Moment at={found_at} />,
            },
            {
              name: say('column_acts'),
              kind: 'acts',
              cell: (finding) => (
                <Button size="small" onClick={() => setClosed(finding)}>
                  {say('close_finding')}
                </Button>
              ),
            },
          ]}
        />
      )}
      {closed && <Close finding={closed} onClose={() => setClosed(null)} />}
    </Section>
  )
}

function Close({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const act = useAct('POST /system/findings/close', ['GET /system/orphans'])
  return (
    <ReasonDialog
      title={say('close_finding_title')}
      words={say('close_finding_words')}
      act={act}
      onReason={(reason) => act.mutate({ body: { references: [finding.reference], reason } }, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
