/** Signing in and out. The cookie is the server's alone: no script sees it. */
import { api } from "./Client.ts"
import { Refusal } from "./Refusal.ts"
import type { Answer, CallOptions } from "./Wire.ts"

/** A browser that is signed in. Moments are ISO 8601. */
export type Session = Answer<"sessions", "list">["items"][number]

/** Who is signed in here. */
export type SignedIn = Answer<"sessions", "current">

/** What one signs in with: an API token, or the code of a printed link, which counts once. */
export type Credential = { readonly token: string } | { readonly code: string }

/** Ways to sign in that a server may offer, in the order in which to offer them, and whether somebody is signed in. */
export type WayIn = Answer<"signIn", "methods">

/** Where signing in by the provider of identities begins; it leads back to a path of the console. */
export const providerAddress = (path: string): string => `/auth/oidc/start?returnTo=${encodeURIComponent(path)}`

const place = "pawl.signedIn"

/** Whether somebody was signed in here when it was asked last. A browser that remembers nothing says no. */
const wasSignedIn = (): boolean => {
  try {
    return localStorage.getItem(place) !== null
  } catch {
    return false
  }
}

/** The id of who is signed in; null for nobody. Other tabs hear of it. */
const remember = (who: string | null): void => {
  try {
    if (who === null) localStorage.removeItem(place)
    else localStorage.setItem(place, who)
  } catch {
    // It is asked in two steps each time.
  }
}

/** Hears that somebody signed in or out in another tab, until the signal. */
const watchOthers = (see: () => void, signal: AbortSignal): void =>
  addEventListener("storage", ({ key }) => (key === place || key === null ? see() : undefined), { signal })

const wayIn = (options?: CallOptions): Promise<WayIn> => api.signIn.methods({}, options)

const nobody = (): Refusal =>
  new Refusal({
    status: 401,
    code: "unauthenticated",
    title: "Not signed in",
    detail: "Nobody is signed in here. Sign in first.",
    requestId: null,
    facts: {}
  })

/**
 * Who is signed in. Where nobody was, it is asked first whether somebody is: browsers write each refusal into the console
 * of whoever looks for faults there, and to come for the first time is none.
 */
const current = async (options?: CallOptions, askWayIn: () => Promise<WayIn> = wayIn): Promise<SignedIn> => {
  if (!wasSignedIn() && (await askWayIn()).signedIn !== true) throw nobody()
  try {
    const answer = await api.sessions.current({}, options)
    remember(answer.user.id)
    return answer
  } catch (thrown) {
    if (thrown instanceof Refusal && thrown.status === 401) remember(null)
    throw thrown
  }
}

/** The calls of this browser's session. */
export const session = {
  wayIn,
  wasSignedIn,
  watchOthers,
  /** Throws 401 for who is not signed in. `askWayIn` keeps what it is told for who asks next. */
  current,
  signIn: async (payload: Credential): Promise<void> => {
    await api.signIn.begin({ payload })
    remember("")
  },
  signOut: async (): Promise<void> => {
    await api.signIn.end({})
    remember(null)
  }
}
