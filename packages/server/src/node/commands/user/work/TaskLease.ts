/** Keeps the lease of a run while its agent works. */
import { ServerLimits } from "../../../../ServerLimits.ts"
import { Refused } from "../Refused.ts"
import type { UserClient } from "../UserClient.ts"

/** A lease that is renewed until it is released. */
export interface TaskLease {
  /** Aborted when the lease is lost; its reason says why. */
  readonly lost: AbortSignal
  readonly release: () => void
}

/** Renews now and then. A server that is away for a moment changes nothing while the lease has time left. */
export const keepLease = ({ ask }: UserClient, runId: string, leaseUntil: string): TaskLease => {
  const gone = new AbortController()
  let until = Date.parse(leaseUntil)
  const renew = async () => {
    try {
      until = Date.parse((await ask("outside.renew", { id: runId })).leaseUntil)
    } catch (error) {
      const isAway =
        error instanceof Refused && ["unreachable", "unavailable", "rate_limited", "busy"].includes(error.code)
      if (!isAway || Date.now() > until) gone.abort(error instanceof Error ? error.message : "the lease is lost")
    }
  }
  const timer = setInterval(() => void renew(), ServerLimits.workRenewMs)
  return { lost: gone.signal, release: () => clearInterval(timer) }
}
