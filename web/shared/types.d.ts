// What scripts/build-web.mjs puts in place of these names.

/** The 3-D Secure part: where it is, relative to the service, and its integrity. */
declare const THREE_DS_PART: { path: string; integrity: string }
declare const RIPPER_VERSION: string
