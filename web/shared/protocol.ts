// What the checkout on a merchant's page and the card fields in our frame say to each other.
// One hello by window.postMessage, both origins checked; everything else over the MessagePort that it brings.
// No message carries a card number or security code, but for test cards in test mode.

/** Checkout to frame, with the frame's exact origin. */
export type Hello = { type: 'ripper:hello'; nonce: string }
/** Frame to checkout, with the checkout's exact origin and the port. */
export type Welcome = { type: 'ripper:port'; nonce: string }

export type Field = 'number' | 'expiry' | 'code' | 'name'

/** Why a field does not pass; also the keys of its words. */
export type FaultCode =
  | 'number_missing'
  | 'number_incomplete'
  | 'number_wrong'
  | 'brand_unsupported'
  | 'not_a_test_card'
  | 'expiry_missing'
  | 'expiry_incomplete'
  | 'expiry_past'
  | 'expiry_too_far'
  | 'code_missing'
  | 'code_incomplete'
  | 'name_is_number'
  | 'card_refused'

export type Fault = { field: Field; code: FaultCode }

/** An API refusal, or `network_error` where no answer came. */
export type ApiFault = { code: string; message: string | null; request_id: string | null }

export type ToFrame =
  /** The session that a card is exchanged for; comes once, and again where a new session replaces it. */
  | { type: 'session'; session_id: string; client_secret: string; mode: 'test' | 'live' }
  | { type: 'appearance'; appearance: Appearance }
  /** Draws the test cards; `open` where the shopper's window has room for all of them. Ignored outside test mode. */
  | { type: 'test_cards'; open: boolean }
  /** Puts a test card in. Ignored outside test mode. From version 0.1, which draws the cards itself. */
  | { type: 'fill'; number: string }
  /** Asks for a card reference; answered by `submitted` with the same id. */
  | { type: 'submit'; id: number }
  | { type: 'focus'; field: Field }
  /** After a decline: the security code is typed anew and the reference used up. */
  | { type: 'clear_code' }
  /** While a payment is under way nothing can be typed. */
  | { type: 'lock'; locked: boolean }

export type FromFrame =
  | {
      type: 'ready'
      words: Record<string, string>
      locale: string
      appearance: Appearance | null
      /** The fields' style sheet, by which the form around them looks the same. */
      sheet: string
    }
  /** Before `ready`, and whenever it changes: the tokens as style text, for the checkout around the frame. See look.ts. */
  | { type: 'look'; style: string }
  | { type: 'change'; brand: string | null; complete: boolean; empty: boolean; faults: Fault[] }
  | { type: 'focus'; field: Field }
  | { type: 'blur'; field: Field }
  | { type: 'height'; height_px: number }
  /** Enter was pressed in a field. */
  | { type: 'enter' }
  | ({ type: 'submitted'; id: number } & Submitted)

export type Submitted =
  | { ok: true; card_reference: string; brand: string; last4: string }
  /** `faults` where the shopper must mend a field (the checkout gives the first one the focus), else `error`. */
  | { ok: false; faults: Fault[]; error: ApiFault | null }

/** How a checkout looks. Values that are not what they should be are ignored. */
export type Appearance = {
  theme?: 'light' | 'dark' | 'auto'
  variables?: {
    /** Colours: #rgb, #rrggbb, rgb(), hsl() or oklch(). */
    colorPrimary?: string
    colorBackground?: string
    colorText?: string
    colorDanger?: string
    colorBorder?: string
    /** Lengths in px, rem or em. */
    borderRadius?: string
    fontSize?: string
    spacing?: string
    /** Names of fonts that the shopper's device has; no font is loaded. */
    fontFamily?: string
  }
}
