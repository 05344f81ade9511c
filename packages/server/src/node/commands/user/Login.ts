/** `pawl login`, `logout`, `whoami`. */
import { tokenByDevice } from "./DeviceLogin.ts"
import { addressFrom, hostsPath, isLoopback, readHosts, writeHosts } from "./Hosts.ts"
import { exitCodes, misused, Refused } from "./Refused.ts"
import { addressOf } from "./Signed.ts"
import { userClient } from "./UserClient.ts"
import type { Run, Session } from "./Verb.ts"

const addressIn = ({ environment, given, value }: Session): string =>
  given[0] === undefined ? addressOf(value("url"), environment) : addressFrom(given[0])

/** The server is asked who the token is of before anything is kept. */
export const login: Run = async (session) => {
  const { environment, has, person, warn } = session
  const address = addressIn(session)
  if (!person.present && !has("token") && !has("web"))
    throw misused("nobody is here to ask: hand the token over on standard input", [
      { command: `pawl login ${address} --token < token`, when: "the file token holds one" },
      { command: `pawl login ${address} --web`, when: "a browser is signed in there, on any machine" }
    ])
  // What cannot be kept is said before anybody types a secret.
  const before = readHosts(environment)
  if (address.startsWith("http:") && !isLoopback(address))
    warn(`${address} is not encrypted: whoever is between reads the token`)
  const token = has("web") ? await tokenByDevice(address, session) : await person.secret(`Token for ${address}:`)
  if (!/^[\x21-\x7e]+$/.test(token)) throw misused("that is no token: it has to be one word")
  const me = await userClient(address, token).ask("account.me")
  const { id: user, name } = me.user
  writeHosts(environment, {
    current: address,
    hosts: { ...before.hosts, [address]: { user, name, tokenId: me.token.id, token } }
  })
  return {
    json: { address, user: me.user, tokenId: me.token.id, scopes: me.token.scopes, keptIn: hostsPath(environment) },
    text: `${name} (${user}) at ${address}, kept in ${hostsPath(environment)}`,
    next: [{ command: "pawl project list", when: "to see what is there" }]
  }
}

/** Forgets it here; with `--revoke` the token is good for nothing any more. */
export const logout: Run = async (session) => {
  const { environment, has } = session
  const address = addressIn(session)
  const { current, hosts } = readHosts(environment)
  const { [address]: gone, ...rest } = hosts
  if (gone === undefined) throw new Refused("not_signed_in", `nobody is signed in at ${address}`, exitCodes.no)
  if (has("revoke")) await userClient(address, gone.token).ask("account.revokeToken", { id: gone.tokenId })
  writeHosts(environment, { current: current === address ? (Object.keys(rest)[0] ?? null) : current, hosts: rest })
  const revoked = has("revoke")
  return {
    json: { address, user: gone.user, tokenId: gone.tokenId, revoked },
    text: `${gone.name} is signed out at ${address}${revoked ? ", and the token is revoked" : ""}`
  }
}

/** As the server says it, now. */
export const whoami: Run = async ({ client }) => {
  const asked = client()
  const { memberships, organizations, token, user } = await asked.ask("account.me")
  return {
    json: { address: asked.address, user, token, organizations, memberships },
    table: {
      head: ["user", "id", "server", "token", "scopes"],
      rows: [[user.name, user.id, asked.address, token.name, token.scopes.join(",")]]
    }
  }
}
