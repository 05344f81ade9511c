/** Waiting for what the server does, by asking again. */
import { setTimeout as pause } from "node:timers/promises"
import { ServerLimits } from "../../../ServerLimits.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import type { Session } from "./Verb.ts"

/** When waiting ends, in milliseconds of this process; never without `--timeout`. */
export const deadlineOf = (value: Session["value"]): number => {
  const given = value("timeout")
  if (given === undefined) return Infinity
  const seconds = Number(given)
  if (!Number.isFinite(seconds) || seconds <= 0) throw misused(`--timeout takes seconds above 0, not "${given}"`)
  return performance.now() + seconds * 1000
}

/** Asks until there is an answer that is not null. Fails with 8 at the deadline. */
export const until = async <A>(deadline: number, what: string, ask: () => Promise<A | null>): Promise<A> => {
  for (;;) {
    const answer = await ask()
    if (answer !== null) return answer
    if (performance.now() >= deadline)
      throw new Refused("still_running", `${what}, and --timeout is over`, exitCodes.stillRunning, [
        { command: "pawl status --watch", when: "to wait on" }
      ])
    await pause(Math.min(ServerLimits.waitingPollMs, Math.max(1, deadline - performance.now())))
  }
}
