/** Signing in and out. The cookie is the server's alone: no script sees it. */
import { ask } from "./Client.ts"
import type { CallOptions } from "./Wire.ts"

/** A browser that is signed in. Moments are ISO 8601. */
export interface Session {
  readonly id: string
  readonly userId: string
  readonly tokenId: string | null
  readonly scopes: ReadonlyArray<string>
  readonly createdAt: string
  readonly lastSeenAt: string
  readonly idleUntil: string
  readonly endsAt: string
  readonly userAgent: string | null
  /** `token`, `link` or `oidc`. */
  readonly how: string
}

/** Who is signed in here. */
export interface SignedIn {
  readonly session: Session
  readonly user: { readonly id: string; readonly name: string }
}

/** Ways to sign in that the server offers. */
export type SignInMethod = "token" | "link" | "oidc"

/** What one signs in with: an API token, or the code of a printed link, which counts once. */
export type Credential = { readonly token: string } | { readonly code: string }

/** The calls of a session. */
export const session = {
  methods: async (options?: CallOptions): Promise<ReadonlyArray<SignInMethod>> =>
    ((await ask({ method: "GET", path: "/auth/methods" }, options)) as { methods: ReadonlyArray<SignInMethod> })
      .methods,
  /** Throws 401 for who is not signed in. */
  current: async (options?: CallOptions): Promise<SignedIn> =>
    (await ask({ method: "GET", path: "/v1/session" }, options)) as SignedIn,
  signIn: async (credential: Credential): Promise<void> =>
    void (await ask({ method: "POST", path: "/v1/session", payload: credential })),
  signOut: async (): Promise<void> => void (await ask({ method: "DELETE", path: "/v1/session" })),
  list: async (options?: CallOptions): Promise<ReadonlyArray<Session>> =>
    ((await ask({ method: "GET", path: "/v1/sessions" }, options)) as { items: ReadonlyArray<Session> }).items,
  end: async (id: string): Promise<void> =>
    void (await ask({ method: "DELETE", path: "/v1/sessions/:id", params: { id } }))
}
