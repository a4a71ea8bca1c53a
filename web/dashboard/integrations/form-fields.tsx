// The fields of an integration's form, in the groups in which it shows them. Each is named like the member that it becomes.

import type { Integration } from '../client/answers.ts'
import { Choice, Field, TextField, Tick } from '../parts/field.tsx'
import { locale, say, sayCode } from '../words.ts'
import { amountText, look_names } from './typed-integration.ts'

type Of = { integration: Integration | null }

/** Where it is used: its name, its role, the pages that may use it. */
export function PlaceFields({ integration }: Of) {
  return (
    <>
      <Field label={say('name')} name="name" maxLength={100} defaultValue={integration?.name ?? ''} required />
      {integration?.is_default ? (
        <p className="hint">{say('is_the_default')}</p>
      ) : (
        <Tick label={say('make_default')} hint={say('make_default_hint')} name="is_default" />
      )}
      <TextField
        label={say('allowed_origins')}
        hint={say('allowed_origins_hint')}
        name="allowed_origins"
        rows={3}
        spellCheck={false}
        defaultValue={integration?.allowed_origins.join('\n') ?? ''}
      />
      <Field
        label={say('confirmation_url')}
        name="confirmation_url"
        inputMode="url"
        defaultValue={integration?.confirmation_url ?? ''}
      />
      <Choice
        label={say('mode')}
        name="mode_setting"
        defaultValue={integration?.mode_setting ?? 'auto'}
        options={['auto', 'test'].map((value) => ({
          value,
          text: sayCode('integration_mode', value),
        }))}
      />
      <Field
        label={say('test_connections')}
        hint={say('test_connections_hint')}
        name="test_connections"
        autoComplete="off"
        defaultValue={integration?.test_connections.join(' ') ?? ''}
      />
    </>
  )
}

export function HoldFields({ integration }: Of) {
  const { escalate_after_seconds = null, review_window_seconds = 432_000 } = integration ?? {}
  return (
    <>
      <Choice
        label={say('capture_setting')}
        hint={say('capture_setting_hint')}
        name="capture"
        defaultValue={integration?.capture ?? 'automatic'}
        options={(['automatic', 'manual'] as const).map((value) => ({
          value,
          text: sayCode('capture_setting', value),
        }))}
      />
      <Field
        label={say('review_days')}
        name="review_days"
        member="review_window_seconds"
        type="number"
        min={0.1}
        step="any"
        defaultValue={review_window_seconds / 86_400}
      />
      <Choice
        label={say('at_deadline')}
        name="at_deadline"
        defaultValue={integration?.at_deadline ?? 'void'}
        options={(['void', 'capture'] as const).map((value) => ({ value, text: say(value) }))}
      />
      <Field
        label={say('escalate_hours')}
        hint={say('escalate_hours_hint')}
        name="escalate_hours"
        member="escalate_after_seconds"
        type="number"
        min={0.01}
        step="any"
        defaultValue={escalate_after_seconds === null ? '' : escalate_after_seconds / 3_600}
      />
      <Choice
        label={say('without_three_ds')}
        name="on_3ds_unavailable"
        defaultValue={integration?.on_3ds_unavailable ?? 'proceed'}
        options={['proceed', 'decline'].map((value) => ({
          value,
          text: sayCode('without_three_ds', value),
        }))}
      />
      <Tick
        label={say('require_verified_amount')}
        name="require_verified_amount"
        defaultChecked={integration?.require_verified_amount}
      />
    </>
  )
}

/** What amounts are checked by. */
export function PriceFields({ integration }: Of) {
  const { default_currency = null, default_amount = null, capture_below = null } = integration ?? {}
  return (
    <>
      <Field
        label={say('default_currency')}
        name="default_currency"
        maxLength={3}
        autoComplete="off"
        defaultValue={default_currency ?? ''}
      />
      <Field
        label={say('default_amount')}
        hint={say('default_amount_hint')}
        name="default_amount"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={amountText(default_amount, default_currency, locale)}
      />
      <Field
        label={say('capture_below')}
        hint={say('capture_below_hint')}
        name="capture_below"
        inputMode="decimal"
        autoComplete="off"
        defaultValue={amountText(capture_below, default_currency, locale)}
      />
    </>
  )
}

export function PageFields({ integration }: Of) {
  return (
    <>
      <Tick
        label={say('is_hosted_page')}
        hint={say('is_hosted_page_hint')}
        name="is_hosted_page"
        defaultChecked={integration?.is_hosted_page}
      />
      <Field
        label={say('handle')}
        hint={say('handle_hint')}
        name="handle"
        autoComplete="off"
        defaultValue={integration?.handle ?? ''}
      />
      {(['terms_url', 'support_url', 'back_url'] as const).map((member) => (
        <Field
          key={member}
          label={say(member)}
          name={member}
          inputMode="url"
          defaultValue={integration?.[member] ?? ''}
        />
      ))}
      <Field
        label={say('order_reference_key')}
        hint={say('order_reference_key_hint')}
        name="order_reference_metadata_key"
        autoComplete="off"
        defaultValue={integration?.order_reference_metadata_key ?? ''}
      />
    </>
  )
}

/** The names are those of checkout.js, so that a page of one's own can be given the same looks. */
export function LookFields({ integration }: Of) {
  const { theme = '', variables = {} } = integration?.appearance ?? {}
  return (
    <>
      <p className="hint">{say('looks_hint')}</p>
      <Choice
        label={say('theme')}
        name="theme"
        member="appearance.theme"
        defaultValue={theme}
        options={(['', 'auto', 'light', 'dark'] as const).map((value) => ({
          value,
          text: value === '' ? say('default') : say(`theme_${value}`),
        }))}
      />
      {look_names.map((look) => (
        <Field
          key={look}
          label={look}
          name={look}
          member={`appearance.variables.${look}`}
          autoComplete="off"
          spellCheck={false}
          defaultValue={variables[look] ?? ''}
        />
      ))}
    </>
  )
}
