// The settings of single sign-on by OpenID Connect: all or none of issuer, client and secret.

import { ConfigError, fail, oneOf, optional, type Setting } from './setting.ts'

export type SingleSignOnConfig = {
  issuer: string
  client_id: string
  client_secret: string
  /** The domains of accepted addresses; empty for all. */
  domains: string[]
  /** People with addresses in these domains cannot use passwords. */
  is_required: boolean
  /** The operator's word that the provider requires a second factor. */
  is_trusted_for_factors: boolean
}

const issuer = optional(
  {
    name: 'RIPPER_OIDC_ISSUER',
    meaning: 'provider of single sign-on for the dashboard, by OpenID Connect',
    fallback: 'none',
  },
  (value, name) => {
    const url = URL.parse(value)
    const is_loopback = url?.hostname === 'localhost' || url?.hostname === '127.0.0.1'
    const is_safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && is_loopback)
    return url && is_safe && !url.search && !url.hash ? value : fail(name, 'an https address')
  },
)

const domains: Setting<string[]> = {
  name: 'RIPPER_OIDC_DOMAINS',
  meaning: 'domains of the addresses that are taken from the provider, comma separated',
  fallback: 'all that it has verified',
  read: (value) => value?.split(',').map((each) => each.trim().toLowerCase()) ?? [],
}

export const singleSignOnSettings = {
  issuer,
  client_id: optional(
    {
      name: 'RIPPER_OIDC_CLIENT_ID',
      meaning: 'what the provider calls this service',
      fallback: 'none',
    },
    (value) => value,
  ),
  client_secret: optional(
    {
      name: 'RIPPER_OIDC_CLIENT_SECRET',
      meaning: 'the secret that the provider gave for it',
      fallback: 'none',
      secret: true,
    },
    (value) => value,
  ),
  domains,
  required: oneOf(
    {
      name: 'RIPPER_OIDC_REQUIRED',
      meaning: 'on: passwords of those domains are shut, but for operators',
    },
    { words: ['off', 'on'], fallback: 'off' },
  ),
  second_factor: oneOf(
    {
      name: 'RIPPER_OIDC_SECOND_FACTOR',
      meaning: 'on: the provider asks everybody for a second factor, whether it says so or not',
    },
    { words: ['off', 'on'], fallback: 'off' },
  ),
}

type Values = {
  [K in keyof typeof singleSignOnSettings]: ReturnType<(typeof singleSignOnSettings)[K]['read']>
}

/** Null if no provider is named. Throws a ConfigError for missing settings. */
export function singleSignOnOf(values: Values): SingleSignOnConfig | null {
  const { issuer, client_id, client_secret, domains } = values
  if (issuer === null) return null
  const { client_id: id, client_secret: secret } = singleSignOnSettings
  const beside = singleSignOnSettings.issuer.name
  const missing = client_id === null ? id : client_secret === null ? secret : null
  if (missing) throw new ConfigError(missing.name, `must be set where ${beside} is.`, beside)
  const is_required = values.required === 'on'
  if (is_required && domains.length === 0) {
    const words = 'must name the domains whose passwords RIPPER_OIDC_REQUIRED shuts.'
    throw new ConfigError(singleSignOnSettings.domains.name, words, singleSignOnSettings.required.name)
  }
  return {
    issuer,
    client_id: client_id!,
    client_secret: client_secret!,
    domains,
    is_required,
    is_trusted_for_factors: values.second_factor === 'on',
  }
}
