// Packages of the tests that bring no types.

declare module 'express'
declare module 'oidc-provider'
