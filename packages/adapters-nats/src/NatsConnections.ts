/** One connection to NATS. Who keeps it makes it anew: it does not reconnect by itself. */
import { readFile } from "node:fs/promises"
import {
  connect as dial,
  credsAuthenticator,
  type ConnectionOptions,
  type NatsConnection
} from "@nats-io/transport-node"
import { Redacted } from "effect"
import type { NatsOptions } from "./NatsAddress.ts"
import { reasonOf } from "./NatsFailures.ts"
import { NatsLimits } from "./NatsLimits.ts"

/** Why there is no connection, in words without secrets. */
export class NatsAway extends Error {}

const loginOf = async ({ credentials, login }: NatsOptions): Promise<ConnectionOptions> => {
  if (credentials !== null) {
    // Read each time: it may be replaced while the server runs.
    const file = await readFile(credentials).catch(() => {
      throw new NatsAway("the file of PAWL_NOTICES_CREDENTIALS cannot be read")
    })
    return { authenticator: credsAuthenticator(file) }
  }
  if (login === null) return {}
  return login._tag === "Token"
    ? { token: Redacted.value(login.token) }
    : { user: login.user, pass: Redacted.value(login.password) }
}

/** A connection to the first of the servers that lets one in. Rejects with `NatsAway`. */
export const connect = async (options: NatsOptions): Promise<NatsConnection> => {
  try {
    const connection = await dial({
      ...(await loginOf(options)),
      servers: [...options.servers],
      ...(options.tls ? { tls: {} } : {}),
      name: "pawl",
      reconnect: false,
      // Nobody is handed the login but those who were named.
      ignoreClusterUpdates: true,
      timeout: NatsLimits.natsConnectMs,
      pingInterval: NatsLimits.natsHeartbeatMs,
      maxPingOut: NatsLimits.natsHeartbeatsOwed
    })
    const most = connection.info?.max_payload ?? 0
    if (most >= NatsLimits.natsMessageBytes) return connection
    await connection.close()
    throw new NatsAway(`it takes messages of ${most} bytes, and Pawl's have up to ${NatsLimits.natsMessageBytes}`)
  } catch (cause) {
    throw cause instanceof NatsAway ? cause : new NatsAway(reasonOf(cause))
  }
}

/** Until the server has taken all that was sent. Rejects when the connection ends before that. */
export const answered = (connection: NatsConnection): Promise<void> =>
  Promise.race([
    connection.flush(),
    connection.closed().then((problem) => {
      throw problem ?? new Error("closed")
    })
  ])
