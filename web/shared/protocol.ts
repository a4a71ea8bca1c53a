// The messages between the checkout on a merchant's page and the card fields in our frame. There is one hello by window.postMessage,
// for which both origins are checked. Everything else goes over the MessagePort that it brings. No message carries a card number or
// security code, except for test cards in test mode.

/** Checkout to frame, with the frame's exact origin. */
export type Hello = { type: 'ripper:hello'; nonce: string }
/** Frame to checkout, with the checkout's exact origin and the port. In its place may come the message `refused`. */
export type PortMessage = { type: 'ripper:port'; nonce: string }

export type Field = 'number' | 'expiry' | 'code' | 'name'

/** The faults of a field. They are also the keys of its words. */
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

/** An API refusal, or `network_error` if no answer came. */
export type ApiFault = { code: string; message: string | null; request_id: string | null }

export type ToFrame =
  /** The session for which the card is exchanged. It comes once, and again if a new session replaces it. */
  | { type: 'session'; session_id: string; client_secret: string; mode: 'test' | 'live' }
  | { type: 'appearance'; appearance: Appearance }
  /** Draws the test cards; `open` if the shopper's window has room for all of them. Ignored outside test mode. */
  | { type: 'test_cards'; open: boolean }
  /** Fills in a test card. Ignored outside test mode. Sent by version 0.1, which draws the cards itself. */
  | { type: 'fill'; number: string }
  /** Asks for a card reference; answered by `submitted` with the same id. */
  | { type: 'submit'; id: number }
  | { type: 'focus'; field: Field }
  /** Sent after a decline: the shopper types the security code again, and the reference is used up. */
  | { type: 'clear_code' }
  /** Locks the fields while a payment is under way. */
  | { type: 'lock'; locked: boolean }

export type FromFrame =
  | {
      type: 'ready'
      words: Record<string, string>
      locale: string
      appearance: Appearance | null
      /** The fields' style sheet, so that the form around them looks the same. */
      sheet: string
    }
  /** Instead of `ready`, in test mode: the page around is on no allowed origin. Comes without a port. */
  | { type: 'refused'; words: Record<string, string>; locale: string; sheet: string }
  /** The tokens as style text, for the checkout around the frame. Sent before `ready` and after changes. See look.ts. */
  | { type: 'look'; style: string }
  | { type: 'change'; brand: string | null; complete: boolean; empty: boolean; faults: Fault[] }
  | { type: 'focus'; field: Field }
  | { type: 'blur'; field: Field }
  | { type: 'height'; height_px: number }
  /** The shopper pressed Enter in a field. */
  | { type: 'enter' }
  | ({ type: 'submitted'; id: number } & SubmitResult)

export type SubmitResult =
  | { ok: true; card_reference: string; brand: string; last4: string }
  /** `faults` if the shopper must correct a field (the checkout gives the first one the focus), else `error`. */
  | { ok: false; faults: Fault[]; error: ApiFault | null }

/** The appearance of a checkout. Invalid values are ignored. */
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
