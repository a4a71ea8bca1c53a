// The codes of checkout.js's own errors. The `docs_url` of an error leads to its place in the reference, as for the API's codes.

export const checkoutErrors = {
  network_error:
    'No answer came, after several tries. After confirm() the payment may have been taken: call confirm() again, which never charges twice.',
  frame_not_loaded:
    'The card fields did not load within 6 s. Is the publishable key one of this service? Is this page’s origin one of the integration’s allowed origins? Does the page send Cross-Origin-Embedder-Policy without Cross-Origin-Opener-Policy?',
  part_not_loaded: 'The second script, three-ds.js, could not be loaded.',
  script_misplaced:
    'checkout.js runs as a module, in a bundle or as text in the page, and so cannot know where the service is. Load it by a script tag of its own, or use the module @ripper/checkout-js.',
  browser_too_old: 'The browser is older than iOS 15 or the others of 2021. The shopper is told so.',
  element_not_found: 'No element of the page matches the selector that mount() was given.',
  not_mounted: 'confirm() was called before mount().',
  public_key_malformed: 'The key given to loadCheckout() is not a publishable key (rip_pk_…).',
  client_secret_malformed: 'The client secret is not the one that the session was created with.',
  session_missing: 'The page asked the card fields for a card before there was a session.',
  script_not_loaded:
    'Only from the module @ripper/checkout-js: checkout.js did not load, or the page’s policy refused it.',
  not_in_browser: 'Only from the module @ripper/checkout-js: loadCheckout() was called on a server.',
}
