/** Tries a NATS as the notices use it, for `pawl doctor`: what is told on one connection is heard on another. */
import { randomBytes } from "node:crypto"
import { setTimeout as pause } from "node:timers/promises"
import type { NatsConnection } from "@nats-io/transport-node"
import { Effect } from "effect"
import type { NatsOptions } from "./NatsAddress.ts"
import { answered, connect, NatsAway } from "./NatsConnections.ts"
import { reasonOf } from "./NatsFailures.ts"
import { NatsLimits } from "./NatsLimits.ts"

const refusalOf = async (connection: NatsConnection): Promise<Error | null> => {
  for await (const status of connection.status()) if (status.type === "error") return status.error
  return (await connection.closed()) ?? null
}

const trial = async (one: NatsConnection, other: NatsConnection): Promise<string | null> => {
  const subject = `pawl.notices.${randomBytes(16).toString("hex")}`
  const heard = new Promise<null>((resolve, reject) => {
    one.subscribe(subject, { callback: (problem) => (problem === null ? resolve(null) : reject(problem)) })
  })
  heard.catch(() => undefined)
  await answered(one)
  other.publish(subject, "heard")
  const refused = Promise.race([refusalOf(one), refusalOf(other)]).then((problem) => {
    throw problem ?? new Error("closed")
  })
  const late = pause(NatsLimits.natsTrialMs, "what one connection tells is not heard on another", { ref: false })
  return Promise.race([heard, refused, late])
}

const tried = async (options: NatsOptions): Promise<string | null> => {
  const connections: Array<NatsConnection> = []
  try {
    for (let n = 0; n < 2; n++) connections.push(await connect(options))
    const [one, other] = connections
    return await trial(one!, other!)
  } catch (error) {
    return error instanceof NatsAway ? error.message : reasonOf(error)
  } finally {
    await Promise.all(connections.map((each) => each.close()))
  }
}

/** Why it cannot carry notices, in words without secrets; null when it can. */
export const look = (options: NatsOptions): Effect.Effect<string | null> => Effect.promise(() => tried(options))
