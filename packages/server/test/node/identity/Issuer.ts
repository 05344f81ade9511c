/** A provider of identities for tests, over real HTTP: keys, discovery, an authorization endpoint, a token endpoint. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { createHash, randomUUID } from "node:crypto"
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose"

interface Key {
  readonly kid: string
  readonly alg: "RS256" | "ES256"
  readonly privateKey: CryptoKey
  readonly jwk: JWK
}

/** What a code that was given out stands for. */
interface Grant {
  readonly challenge: string
  readonly nonce: string
  readonly redirectUri: string
}

const newKey = async (alg: Key["alg"]): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  const kid = randomUUID()
  return { kid, alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } }
}

const bodyOf = async (req: IncomingMessage): Promise<URLSearchParams> => {
  let text = ""
  for await (const chunk of req) text += String(chunk)
  return new URLSearchParams(text)
}

/** The same words as `alg: none` has them: without a signature. */
export const unsigned = (token: string): string =>
  `${Buffer.from('{"alg":"none"}').toString("base64url")}.${token.split(".")[1]}.`

/** Signs in whoever comes, as `person`. */
export class Issuer {
  readonly server: Server
  url = ""
  keys: Array<Key> = []
  /** How often its keys were fetched. */
  fetches = 0
  /** Who comes back from it. */
  person: Readonly<Record<string, unknown>> = { sub: "248289761001", name: "Jane Doe" }
  /** Changes what its ID tokens say. */
  twist: Readonly<Record<string, unknown>> = {}
  /** Its ID tokens are signed by nobody while it is set. */
  isUnsigned = false
  /** With which secret a client came for what a code stands for, the last time; null without one. */
  clientSecret: string | null = null
  /** Asks a person on a page of its own before it leads back, while it is set. */
  asksFirst = false
  /** Answers nothing while it is set. */
  isAway = false
  readonly #grants = new Map<string, Grant>()

  constructor() {
    this.server = createServer((req, res) => void this.#answer(req, res))
  }

  async start(): Promise<this> {
    this.keys = [await newKey("RS256"), await newKey("ES256")]
    await new Promise<void>((resolve) => this.server.listen(0, "127.0.0.1", resolve))
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
    return this
  }

  stop(): void {
    this.server.close()
    this.server.closeAllConnections()
  }

  /** From now on it signs with new keys, and publishes these alone. */
  async rotate(): Promise<void> {
    this.keys = [await newKey("RS256"), await newKey("ES256")]
  }

  key(alg: Key["alg"] = "RS256"): Key {
    return this.keys.find((each) => each.alg === alg)!
  }

  /** A token as an API gets it; `claims` win over what it would say. */
  token(claims: Readonly<Record<string, unknown>> = {}, key: Key = this.key()): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const said = { iss: this.url, aud: "pawl", sub: "248289761001", iat: now, exp: now + 300, ...claims }
    return new SignJWT(said).setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt" }).sign(key.privateKey)
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? "/", this.url)
    if (this.isAway) return void req.socket.destroy()
    const json = (status: number, body: unknown): void => {
      res.writeHead(status, { "content-type": "application/json" })
      res.end(JSON.stringify(body))
    }
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return json(200, {
          issuer: this.url,
          authorization_endpoint: `${this.url}/authorize`,
          token_endpoint: `${this.url}/token`,
          jwks_uri: `${this.url}/keys`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: ["RS256"],
          code_challenge_methods_supported: ["S256"],
          authorization_response_iss_parameter_supported: true
        })
      case "/keys":
        this.fetches++
        return json(200, { keys: this.keys.map(({ jwk }) => jwk) })
      case "/authorize":
        return this.#authorize(url.searchParams, res)
      case "/token":
        return json(...(await this.#exchange(await bodyOf(req))))
      default:
        return json(404, {})
    }
  }

  #authorize(asked: URLSearchParams, res: ServerResponse): void {
    const code = randomUUID()
    const redirectUri = asked.get("redirect_uri") ?? ""
    this.#grants.set(code, {
      challenge: asked.get("code_challenge") ?? "",
      nonce: asked.get("nonce") ?? "",
      redirectUri
    })
    const back = new URL(redirectUri)
    back.search = new URLSearchParams({ code, state: asked.get("state") ?? "", iss: this.url }).toString()
    if (!this.asksFirst) return void res.writeHead(302, { location: back.href }).end()
    res.writeHead(200, { "content-type": "text/html; charset=utf-8" })
    res.end(
      `<!doctype html><title>Provider</title><link rel="icon" href="data:,"><a href="${back.href.replaceAll("&", "&amp;")}">Go on as Jane Doe</a>`
    )
  }

  async #exchange(asked: URLSearchParams): Promise<[number, unknown]> {
    this.clientSecret = asked.get("client_secret")
    const grant = this.#grants.get(asked.get("code") ?? "")
    this.#grants.delete(asked.get("code") ?? "")
    const challenge = createHash("sha256")
      .update(asked.get("code_verifier") ?? "")
      .digest("base64url")
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== asked.get("redirect_uri"))
      return [400, { error: "invalid_grant" }]
    const signed = await this.token({ aud: "console", nonce: grant.nonce, ...this.person, ...this.twist })
    const id_token = this.isUnsigned ? unsigned(signed) : signed
    return [200, { access_token: randomUUID(), token_type: "Bearer", id_token }]
  }
}
