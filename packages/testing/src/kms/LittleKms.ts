/**
 * A little KMS over real HTTP: keys of P-256 that do not leave it, and the two calls that a signer makes, as AWS's
 * answers them (JSON 1.1). It looks at who asks by the access key alone, not at the signature of the request. Signing
 * takes `openssl`, which signs a digest as it is given.
 */
import { execFileSync } from "node:child_process"
import { createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"

/** What it does instead of an answer: a failure by AWS's name, silence, the end of the connection, or another answer. */
export type KmsFault =
  | { readonly fail: string; readonly status?: number }
  | "silent"
  | "cut"
  | { readonly answer: object | string }

/** One that runs. */
export interface LittleKms {
  readonly endpoint: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Makes a key, of P-256 unless said otherwise, and answers its ARN. */
  readonly makeKey: (kind?: "ECC_NIST_P256" | "ECC_NIST_P384") => string
  /** What becomes of the next calls of this name: one fault for each, in their order. */
  readonly faults: { readonly GetPublicKey: Array<KmsFault>; readonly Sign: Array<KmsFault> }
  /** The names of the calls so far. */
  readonly calls: Array<string>
  readonly stop: () => Promise<void>
}

const [region, account, accessKeyId] = ["eu-test-1", "000000000000", "pawl"]
const curves = { ECC_NIST_P256: "prime256v1", ECC_NIST_P384: "secp384r1" } as const
const algorithms = { ECC_NIST_P256: "ECDSA_SHA_256", ECC_NIST_P384: "ECDSA_SHA_384" } as const

interface HeldKey {
  readonly kind: keyof typeof curves
  readonly key: KeyObject
  readonly file: string
}

class Refused extends Error {}

const bodyOf = async (request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> => {
  const parts: Array<Buffer> = []
  for await (const part of request) parts.push(part as Buffer)
  return Object(JSON.parse(Buffer.concat(parts).toString("utf8")))
}

const publicOf = (arn: string, { key, kind }: HeldKey) => ({
  KeyId: arn,
  KeySpec: kind,
  CustomerMasterKeySpec: kind,
  KeyUsage: "SIGN_VERIFY",
  SigningAlgorithms: [algorithms[kind]],
  PublicKey: createPublicKey(key).export({ type: "spki", format: "der" }).toString("base64")
})

const signed = (arn: string, { file, kind }: HeldKey, body: Readonly<Record<string, unknown>>) => {
  const digest = Buffer.from(typeof body["Message"] === "string" ? body["Message"] : "", "base64")
  if (body["SigningAlgorithm"] !== algorithms[kind]) throw new Refused("InvalidKeyUsageException")
  if (body["MessageType"] !== "DIGEST" || digest.length !== 32) throw new Refused("ValidationException")
  const signature = execFileSync("openssl", ["pkeyutl", "-sign", "-inkey", file], { input: digest })
  return { KeyId: arn, SigningAlgorithm: algorithms[kind], Signature: signature.toString("base64") }
}

const say = (response: ServerResponse, status: number, body: object | string): void => {
  response.writeHead(status, { "content-type": "application/x-amz-json-1.1" })
  response.end(typeof body === "string" ? body : JSON.stringify(body))
}

const isFault = (fault: KmsFault, response: ServerResponse): void => {
  if (fault === "silent") return
  if (fault === "cut") return void response.destroy()
  if ("answer" in fault) return say(response, 200, fault.answer)
  say(response, fault.status ?? 400, { __type: fault.fail, message: "a text of the server's: s3cr3t" })
}

/** Starts one, on loopback. */
export const start = async (): Promise<LittleKms> => {
  const folder = mkdtempSync(join(tmpdir(), "pawl-kms-"))
  const keys = new Map<string, HeldKey>()
  const faults: LittleKms["faults"] = { GetPublicKey: [], Sign: [] }
  const calls: Array<string> = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = String(request.headers["x-amz-target"]).replace(/^TrentService\./, "")
    calls.push(call)
    const body = await bodyOf(request)
    if (call !== "GetPublicKey" && call !== "Sign") throw new Refused("UnknownOperationException")
    const fault = faults[call].shift()
    if (fault !== undefined) return isFault(fault, response)
    const who = `AWS4-HMAC-SHA256 Credential=${accessKeyId}/`
    const scope = new RegExp(`/\\d{8}/${region}/kms/aws4_request,`)
    const authorization = request.headers.authorization ?? ""
    if (!authorization.startsWith(who)) throw new Refused("UnrecognizedClientException")
    if (!scope.test(authorization)) throw new Refused("InvalidSignatureException")
    const arn = String(body["KeyId"])
    const held = keys.get(arn)
    if (held === undefined) throw new Refused("NotFoundException")
    say(response, 200, call === "Sign" ? signed(arn, held, body) : publicOf(arn, held))
  }
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) =>
      say(response, 400, { __type: error instanceof Refused ? error.message : "KMSInternalException" })
    )
  })
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve))
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    accessKeyId,
    secretAccessKey: "pawl-secret",
    makeKey: (kind = "ECC_NIST_P256") => {
      const id = `00000000-0000-4000-8000-${String(keys.size).padStart(12, "0")}`
      const { privateKey: key } = generateKeyPairSync("ec", { namedCurve: curves[kind] })
      const file = join(folder, `${id}.pem`)
      writeFileSync(file, key.export({ type: "pkcs8", format: "pem" }), { mode: 0o600 })
      const arn = `arn:aws:kms:${region}:${account}:key/${id}`
      keys.set(arn, { kind, key, file })
      return arn
    },
    faults,
    calls,
    stop: async () => {
      const closed = new Promise((resolve) => void server.close(resolve))
      server.closeAllConnections()
      await closed
      rmSync(folder, { recursive: true, force: true })
    }
  }
}
