/** An operator, an account and a user of NATS, as its own tools make them: what its server believes, and a file of credentials. */
import { nkeys } from "@nats-io/transport-node"

type KeyPair = ReturnType<typeof nkeys.createUser>

const part = (value: object | Uint8Array): string =>
  Buffer.from(value instanceof Uint8Array ? value : JSON.stringify(value)).toString("base64url")

const token = (by: KeyPair, of: KeyPair, nats: object): string => {
  const claims = { jti: "1", iat: 1_700_000_000, iss: by.getPublicKey(), name: "pawl", sub: of.getPublicKey() }
  const signed = `${part({ typ: "JWT", alg: "ed25519-nkey" })}.${part({ ...claims, nats: { version: 2, ...nats } })}`
  return `${signed}.${part(by.sign(Buffer.from(signed)))}`
}

const unlimited = { subs: -1, data: -1, payload: -1 }

/** Lines for a server, and a file of one whom it lets in. */
export const make = () => {
  const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()]
  const limits = { ...unlimited, imports: -1, exports: -1, conn: -1, leaf: -1, wildcards: true }
  return {
    configuration: [
      `operator: ${token(operator, operator, { type: "operator" })}`,
      "resolver: MEMORY",
      `resolver_preload: { ${account.getPublicKey()}: ${token(operator, account, { type: "account", limits })} }`
    ].join("\n"),
    file: `-----BEGIN NATS USER JWT-----
${token(account, user, { type: "user", ...unlimited })}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${Buffer.from(user.getSeed()).toString()}
------END USER NKEY SEED------
`
  }
}
