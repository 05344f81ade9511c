/** `pawl login --web`: a person lets this command in where a browser is signed in (RFC 8628). */
import { hostname } from "node:os"
import { setTimeout as pause } from "node:timers/promises"
import { exitCodes, Refused } from "./Refused.ts"
import { userClient } from "./UserClient.ts"
import type { Session } from "./Verb.ts"

const again = (address: string) => [{ command: `pawl login ${address} --web`, when: "to ask anew" }]

/** Shows a code, and waits until somebody has answered it. Answers the token. */
export const tokenByDevice = async (address: string, { warn }: Pick<Session, "warn">): Promise<string> => {
  const server = userClient(address, null)
  const asked = await server.ask("devices.offer", { body: { name: `pawl on ${hostname()}`.slice(0, 100) } })
  const { deviceCode, expiresIn, interval, userCode, verificationUriComplete } = asked
  warn(`open ${new URL(verificationUriComplete, address).href}`)
  warn(`and let in the device that shows ${userCode}`)
  const deadline = performance.now() + expiresIn * 1000
  while (performance.now() < deadline) {
    try {
      return (await server.ask("devices.token", { body: { deviceCode } })).token
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (error.code === "access_denied")
        throw new Refused(error.code, "whoever was asked said no", exitCodes.no, again(address))
      // The server may be away for a moment: the code goes on to count.
      if (error.code !== "authorization_pending" && error.code !== "unreachable") throw error
    }
    await pause(interval * 1000)
  }
  throw new Refused("code_refused", "nobody answered within 10 minutes", exitCodes.no, again(address))
}
