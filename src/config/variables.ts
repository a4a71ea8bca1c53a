// Every variable of the environment that the service knows: its name, what it means, what holds without it.

export type Variable = {
  name: string
  meaning: string
  fallback: string
  secret?: true
}

/** 12 attempts in about 71 hours. */
export const default_retry_schedule = [
  5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 86_400,
]

/** Every variable, in the order of `ripper config`. */
export const variables = [
  {
    name: 'RIPPER_DATA_DIR',
    fallback: '.ripper',
    meaning: 'folder of the embedded database and the demo keys',
  },
  { name: 'RIPPER_HOST', fallback: '127.0.0.1', meaning: 'address to listen on' },
  { name: 'RIPPER_PORT', fallback: '8080', meaning: 'port to listen on, 0 for any free one' },
  {
    name: 'RIPPER_BASE_URL',
    fallback: 'the address listened on',
    meaning: 'public address of the API',
  },
  {
    name: 'RIPPER_PAY_URL',
    fallback: 'RIPPER_BASE_URL + /pay',
    meaning: 'public address of the hosted page',
  },
  {
    name: 'RIPPER_DATABASE_URL',
    fallback: 'the embedded database',
    meaning: 'a PostgreSQL 15 or later',
    secret: true,
  },
  {
    name: 'RIPPER_DATABASE_CONNECTIONS',
    fallback: '8',
    meaning: 'connections to the database, 1 to 200',
  },
  {
    name: 'RIPPER_MASTER_KEY',
    fallback: 'made and kept in the data folder, for the embedded database only',
    meaning: '32 bytes in base64; several, comma separated: the first seals, all open',
    secret: true,
  },
  {
    name: 'RIPPER_THREE_DS_FILE',
    fallback: 'none',
    meaning: 'JSON file that names the live Directory Servers',
  },
  {
    name: 'RIPPER_SIMULATOR',
    fallback: 'on, until there is a live merchant',
    meaning: 'the simulated bank that test mode needs: on, off',
  },
  {
    name: 'RIPPER_TRUSTED_PROXIES',
    fallback: 'none',
    meaning: 'addresses or CIDR networks whose X-Forwarded-For is believed, comma separated',
  },
  {
    name: 'RIPPER_WEBHOOK_ALLOWED_NETWORKS',
    fallback: 'none',
    meaning:
      'private networks that webhooks may be sent to, comma separated, such as 127.0.0.0/8 to try them here',
  },
  {
    name: 'RIPPER_WEBHOOK_RETRY_SCHEDULE',
    fallback: default_retry_schedule.join(','),
    meaning:
      'seconds after each failed attempt, comma separated; a last failure gives the delivery up',
  },
  {
    name: 'RIPPER_WEBHOOK_TIMEOUT',
    fallback: '15',
    meaning: 'seconds that a receiver has in all, body included, 1 to 60',
  },
  {
    name: 'RIPPER_WEBHOOK_CONNECT_TIMEOUT',
    fallback: '5',
    meaning: 'seconds to connect to a receiver, 1 to 60',
  },
  {
    name: 'RIPPER_GATEWAY_LIMIT',
    fallback: '600',
    meaning: 'requests a minute and address, 0 for no limit',
  },
  {
    name: 'RIPPER_DRAIN_SECONDS',
    fallback: '0',
    meaning:
      'seconds for which a stopping service still takes requests while /readyz is 503, 0 to 60',
  },
  {
    name: 'RIPPER_UNPAID_SESSIONS_DAYS',
    fallback: '30',
    meaning:
      'days for which sessions that nobody paid are kept, 1 to 3650; those of test mode 2 at most',
  },
  {
    name: 'RIPPER_UNKNOWN_AUTHORISATIONS',
    fallback: 'hold',
    meaning:
      'what becomes of authorisations of ours that nothing here knows: hold for a person, or reverse',
  },
  {
    name: 'RIPPER_SMTP_URL',
    fallback: 'none: no receipts are sent',
    meaning:
      'mail server for receipts: smtp://user:password@host:587 or smtps://user:password@host',
    secret: true,
  },
  {
    name: 'RIPPER_MAIL_FROM',
    fallback: 'none',
    meaning: "address that receipts come from; the merchant's name stands before it",
  },
  {
    name: 'RIPPER_MAIL_TEST_MODE',
    fallback: 'off',
    meaning: 'on: receipts are sent for payments in test mode, too',
  },
  {
    name: 'RIPPER_SECRET_KEY',
    fallback: "the demo merchant's",
    meaning: 'secret key that commands present to the running service; the service needs none',
    secret: true,
  },
  { name: 'RIPPER_LOG_LEVEL', fallback: 'info', meaning: 'debug, info, warn, error or silent' },
  {
    name: 'RIPPER_CLOCK_OFFSET_SECONDS',
    fallback: '0',
    meaning:
      "shifts the service's clock, to see expiry without waiting; refused where a live merchant exists",
  },
] as const satisfies Variable[]
