// When an integration captures. A process of the release before does not say it, and refuses to be told.

export const captureSettings = ['automatic', 'manual'] as const
type CaptureSetting = (typeof captureSettings)[number]

/** Null where the service does not say it. */
export function captureSettingOf(integration: {
  integration_id: string
  capture?: CaptureSetting
}): CaptureSetting | null {
  return integration.capture ?? null
}
