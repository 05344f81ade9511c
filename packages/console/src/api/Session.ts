/** Signing in and out. The cookie is the server's alone: no script sees it. */
import { api } from "./Client.ts"
import type { Answer, CallOptions } from "./Wire.ts"

/** A browser that is signed in. Moments are ISO 8601. */
export type Session = Answer<"sessions", "list">["items"][number]

/** Who is signed in here. */
export type SignedIn = Answer<"sessions", "current">

/** What one signs in with: an API token, or the code of a printed link, which counts once. */
export type Credential = { readonly token: string } | { readonly code: string }

/** Ways to sign in that a server may offer. */
export type SignInMethods = Answer<"signIn", "methods">["methods"]

/** Where signing in by the provider of identities begins; it leads back to a path of the console. */
export const providerAddress = (path: string): string => `/auth/oidc/start?returnTo=${encodeURIComponent(path)}`

/** The calls of this browser's session. */
export const session = {
  /** Ways to sign in that the server offers, in the order in which to offer them. */
  methods: async (options?: CallOptions): Promise<SignInMethods> => (await api.signIn.methods({}, options)).methods,
  /** Throws 401 for who is not signed in. */
  current: (options?: CallOptions): Promise<SignedIn> => api.sessions.current({}, options),
  signIn: async (payload: Credential): Promise<void> => api.signIn.begin({ payload }),
  signOut: async (): Promise<void> => api.signIn.end({})
}
