/** A link by which whoever has a token signs in with a browser, once: asked of an installation that is deployed. */
import { setTimeout as pause } from "node:timers/promises"
import type { DemoApi } from "@pawl/server/node/demo/DemoApi"

/** A new host is known to the world a while after it is deployed. */
const tries = 20
const pauseMs = 3000

interface Made {
  readonly link: string
  readonly expiresAt: string
}

/** The line that `pawl serve` prints on a machine. Rejects where the installation makes none, or does not answer. */
export const signInLine = async (api: DemoApi): Promise<string> => {
  const { expiresAt, link } = await api.post<Made>("/v1/sessions/link")
  return `sign in ${link} (once, until ${expiresAt})`
}

/** The same, for an installation that was deployed a moment ago; null where it does not answer. */
export const firstSignInLine = async (api: DemoApi, left = tries): Promise<string | null> => {
  const line = await signInLine(api).catch(() => null)
  if (line !== null || left <= 1) return line
  await pause(pauseMs)
  return firstSignInLine(api, left - 1)
}
