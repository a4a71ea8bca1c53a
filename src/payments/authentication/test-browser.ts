// The browser of the shopper whom test payments play.

import type { AuthenticateBody } from './authenticate-body.ts'

export const testBrowser: AuthenticateBody['browser'] = {
  language: 'en-GB',
  color_depth: 24,
  screen_height: 900,
  screen_width: 1440,
  time_zone_offset: 0,
  java_enabled: false,
  javascript_enabled: true,
}
