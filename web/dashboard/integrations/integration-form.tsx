// The form of an integration, for a new one and for changes. What is not touched is not sent.

import { type FormEvent, type ReactNode, useState } from 'react'
import type { Integration } from '../client/answers.ts'
import { useAct } from '../client/query.ts'
import { type Refused, typo } from '../client/refused.ts'
import { useHere } from '../merchant.ts'
import { Button } from '../parts/button.tsx'
import { Dialog, DialogActs } from '../parts/dialog.tsx'
import { textsOf } from '../parts/field.tsx'
import { Form } from '../parts/form.tsx'
import { locale, say } from '../words.ts'
import { HoldFields, LookFields, PageFields, PlaceFields, PriceFields } from './form-fields.tsx'
import { PriceLines } from './price-lines.tsx'
import { differenceOf, Mistyped, typedLine } from './typed-integration.ts'

const lists = ['GET /{merchant_id}/integrations'] as const

export function CreateIntegration({ onClose }: { onClose: () => void }) {
  const { merchant_id } = useHere()
  const act = useAct('POST /{merchant_id}/integrations', [...lists])
  return (
    <IntegrationForm
      title={say('create_integration')}
      integration={null}
      act={act}
      onClose={onClose}
      onSend={(body) => act.mutate({ merchant_id, body: { ...body, name: body.name ?? '' } }, { onSuccess: onClose })}
    />
  )
}

export function ChangeIntegration({ integration, onClose }: { integration: Integration; onClose: () => void }) {
  const { merchant_id } = useHere()
  const { integration_id } = integration
  const act = useAct('POST /{merchant_id}/integrations/{integration_id}', [...lists])
  return (
    <IntegrationForm
      title={integration.name}
      integration={integration}
      act={act}
      onClose={onClose}
      onSend={(body) => act.mutate({ merchant_id, integration_id, body }, { onSuccess: onClose })}
    />
  )
}

function IntegrationForm({
  title,
  integration,
  act,
  onClose,
  onSend,
}: {
  title: string
  integration: Integration | null
  act: Pick<ReturnType<typeof useAct>, 'error' | 'isPending'>
  onClose: () => void
  onSend: (body: ReturnType<typeof differenceOf>) => void
}) {
  const [lines, setLines] = useState(() => integration?.price_list?.map((line) => typedLine(line, locale)) ?? [])
  const [mistake, setMistake] = useState<Refused | null>(null)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (act.isPending) return
    setMistake(null)
    try {
      const body = differenceOf(integration, textsOf(event.currentTarget), lines, locale)
      if (Object.keys(body).length === 0) return onClose()
      onSend(body)
    } catch (error) {
      if (!(error instanceof Mistyped)) throw error
      setMistake(typo(error.member, 'amount'))
    }
  }
  return (
    <Dialog title={title} onClose={onClose}>
      <Form refused={mistake ?? act.error} onSubmit={submit}>
        <PlaceFields integration={integration} />
        <HoldFields integration={integration} />
        <Group title={say('prices')}>
          <PriceFields integration={integration} />
          <PriceLines lines={lines} onChange={setLines} />
        </Group>
        <Group title={say('pages_and_links')}>
          <PageFields integration={integration} />
        </Group>
        <Group title={say('looks')}>
          <LookFields integration={integration} />
        </Group>
        <DialogActs>
          <Button onClick={onClose}>{say('cancel')}</Button>
          <Button look="primary" type="submit" is_busy={act.isPending}>
            {integration ? say('save') : say('create')}
          </Button>
        </DialogActs>
      </Form>
    </Dialog>
  )
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <details>
      <summary>{title}</summary>
      <div className="form">{children}</div>
    </details>
  )
}
