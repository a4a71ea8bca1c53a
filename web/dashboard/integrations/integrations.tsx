// The places where this merchant takes payments, each with its rules.

import { useState } from 'react'
import type { Integration } from '../client/answers.ts'
import { useAnswer } from '../client/query.ts'
import { useHere } from '../merchant.ts'
import { amountWords } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Empty } from '../parts/empty.tsx'
import { Facts } from '../parts/facts.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { Screen, Section } from '../parts/screen.tsx'
import { say, sayCode, sayCount } from '../words.ts'
import { DeleteIntegration } from './delete-integration.tsx'
import { ChangeIntegration, CreateIntegration } from './integration-form.tsx'

export function Integrations() {
  const { merchant_id, may } = useHere()
  const [is_creating, setCreating] = useState(false)
  const answer = useAnswer('GET /{merchant_id}/integrations', { merchant_id })
  return (
    <Screen
      title={say('nav_integrations')}
      lead={say('integrations_lead')}
      acts={
        may('manage_integrations') && (
          <Button look="primary" icon="plus" onClick={() => setCreating(true)}>
            {say('create_integration')}
          </Button>
        )
      }
    >
      <Loaded answer={answer} rows={4}>
        {({ integrations }) => {
          const shown = integrations.filter(({ deleted_at }) => deleted_at === null)
          if (shown.length === 0) return <Empty title={say('no_integrations')} />
          return shown.map((each) => <One key={each.integration_id} integration={each} />)
        }}
      </Loaded>
      {is_creating && <CreateIntegration onClose={() => setCreating(false)} />}
    </Screen>
  )
}

function One({ integration }: { integration: Integration }) {
  const { may } = useHere()
  const [chosen, setChosen] = useState<'change' | 'delete' | null>(null)
  const { name, is_default, is_hosted_page, hosted_page_url, price_list } = integration
  const onClose = () => setChosen(null)
  const roles = [is_default && say('default'), is_hosted_page && say('hosted_page')]
  return (
    <Section
      title={name}
      label={name}
      row_id={integration.integration_id}
      acts={
        may('manage_integrations') && (
          <>
            <Button size="small" onClick={() => setChosen('change')}>
              {say('change')}
            </Button>
            {!is_default && (
              <Button size="small" onClick={() => setChosen('delete')}>
                {say('delete')}
              </Button>
            )}
          </>
        )
      }
    >
      <Facts
        rows={[
          [say('is'), roles.filter(Boolean).join(', ')],
          [say('hosted_page'), hosted_page_url && <HostedPage integration={integration} />],
          [say('mode'), sayCode('integration_mode', integration.mode_setting)],
          [say('allowed_origins'), integration.allowed_origins.join(', ') || say('none')],
          [say('confirmation_url'), integration.confirmation_url],
          [say('price_list'), price_list && sayCount('lines_count_1', 'lines_count', price_list.length)],
          [say('capture_setting'), sayCode('capture_setting', integration.capture)],
          [say('hold_rule'), holdRule(integration)],
          [say('without_three_ds'), sayCode('without_three_ds', integration.on_3ds_unavailable)],
        ]}
      />
      {chosen === 'change' && <ChangeIntegration integration={integration} onClose={onClose} />}
      {chosen === 'delete' && <DeleteIntegration integration={integration} onClose={onClose} />}
    </Section>
  )
}

/**
 * Opens the page as shoppers see it, looks included, in a tab of its own: our pages let nobody frame them. Where nothing gives an
 * amount, the address does.
 */
function HostedPage({ integration }: { integration: Integration }) {
  const { hosted_page_url, price_list, default_amount, default_currency } = integration
  const needs_amount = price_list === null && default_amount === null
  const query = needs_amount ? `?amount=4200&currency=${default_currency ?? 'GBP'}` : ''
  return (
    <a href={`${hosted_page_url}${query}`} target="_blank" rel="noreferrer">
      {hosted_page_url}
    </a>
  )
}

/** The rules as a sentence. */
function holdRule(integration: Integration): string {
  const { review_window_seconds, at_deadline, capture, capture_below, default_currency } = integration
  const days = Math.round((review_window_seconds / 86_400) * 10) / 10
  const rule =
    at_deadline === 'void'
      ? sayCount('rule_void_1', 'rule_void', days)
      : sayCount('rule_capture_1', 'rule_capture', days)
  if (capture_below === null || capture === 'manual') return rule
  return `${rule} ${say('rule_below', { amount: amountWords(capture_below, default_currency) })}`
}
