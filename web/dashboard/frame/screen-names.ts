// The screens of the navigation, in its order.

export const screens = [
  'overview',
  'payments',
  'holds',
  'sessions',
  'webhooks',
  'requests',
  'keys',
  'integrations',
  'connections',
  'team',
  'operations',
  'audit',
  'system',
] as const

/** Those that a person sees; the system is its operators' alone. */
export function screensOf({ is_operator }: { is_operator: boolean }) {
  return screens.filter((name) => name !== 'system' || is_operator)
}
