import { execFile, execFileSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join as path } from "node:path"
import { promisify } from "node:util"
import { look } from "@pawl/adapters-nats/NatsLook"
import { Effect, type Scope } from "effect"
import { afterAll, describe, expect, it } from "vitest"
import { ownAddress } from "../../adapters-local/test/OwnAddress.ts"
import * as Credentials from "./Credentials.ts"
import { join, listen, logged, optionsOf, until } from "./Joined.ts"
import * as NatsServer from "./NatsServer.ts"

const missing = NatsServer.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const run = <A>(body: Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(body), logged().layer))

const serverOf = (configuration: string) =>
  Effect.acquireRelease(
    Effect.promise(() => NatsServer.start(configuration)),
    ({ stop }) => Effect.promise(stop)
  )

const looked = (url: string, credentials: string | null = null) => look(optionsOf(url, credentials))

const users = `authorization { users = [
  { user: pawl, password: "s3cr3t-word", permissions: { publish: "pawl.notices.>", subscribe: "pawl.notices.>" } }
  { user: deaf, password: "s3cr3t-word", permissions: { publish: ">", subscribe: { deny: ">" } } }
  { user: mute, password: "s3cr3t-word", permissions: { publish: { deny: ">" }, subscribe: ">" } }
] }`

const folder = mkdtempSync(path(tmpdir(), "pawl-nats-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const onLocalhost = (configuration: string) =>
  Effect.acquireRelease(
    Effect.promise(() => NatsServer.start(configuration, { host: "127.0.0.1", port: -1 })),
    ({ stop }) => Effect.promise(stop)
  )

/** All certificates that were made here. */
const trusted = path(folder, "trusted.pem")

/** A server with a certificate of this name that nobody vouches for. */
const onTls = (name: string) => {
  const [key, certificate] = [path(folder, `${name}.key`), path(folder, `${name}.pem`)]
  const kind = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
  const of = ["-subj", "/CN=nats", "-addext", `subjectAltName=DNS:${name}`, "-keyout", key, "-out", certificate]
  execFileSync("openssl", [...kind, ...of], { stdio: "ignore" })
  appendFileSync(trusted, readFileSync(certificate))
  return onLocalhost(`tls { cert_file: "${certificate}", key_file: "${key}" }`)
}

describe.skipIf(missing !== null)("A login at NATS", () => {
  it("by name and password is taken, and refused, in words that hold no password", () =>
    run(
      Effect.gen(function* () {
        const { at } = yield* serverOf(users)
        expect(yield* looked(`nats://pawl:s3cr3t-word@${at}`)).toBe(null)
        const { layer, lines } = logged()
        const [right, wrong] = yield* Effect.all([
          join(`nats://pawl:s3cr3t-word@${at}`),
          join(`nats://pawl:s3cr3t-other@${at}`)
        ]).pipe(Effect.provide(layer))
        expect(yield* right.away).toBe(null)
        const why = "it takes no such login (PAWL_NOTICES, PAWL_NOTICES_CREDENTIALS)"
        expect(yield* wrong.away).toBe(`NATS at nats://${at}: ${why}`)
        expect(yield* looked(`nats://pawl:s3cr3t-other@${at}`)).toBe(why)
        expect(yield* looked(`nats://${at}`)).toBe(why)
        expect(lines).toHaveLength(1)
        expect(lines[0]).toContain(why)
        expect(lines[0]).not.toContain("s3cr3t")
      })
    ))

  it("by a token is taken, and refused", () =>
    run(
      Effect.gen(function* () {
        const { at } = yield* serverOf(`authorization { token: "s3cr3t-token" }`)
        expect(yield* looked(`nats://s3cr3t-token@${at}`)).toBe(null)
        expect(yield* looked(`nats://s3cr3t-other@${at}`)).toContain("it takes no such login")
      })
    ))

  it("by a file of credentials is taken, as it is when the connection is made, and refused", () =>
    run(
      Effect.gen(function* () {
        const [known, strange] = [Credentials.make(), Credentials.make()]
        const server = yield* serverOf(known.configuration)
        const file = path(folder, "pawl.creds")
        expect(yield* looked(server.url, file)).toBe("the file of PAWL_NOTICES_CREDENTIALS cannot be read")
        writeFileSync(file, "a text")
        expect(yield* looked(server.url, file)).toBe(
          "the file of PAWL_NOTICES_CREDENTIALS is none of NATS's credentials"
        )
        writeFileSync(file, strange.file)
        const notices = yield* join(server.url, "a place", file)
        expect(yield* notices.away).toContain("it takes no such login")
        writeFileSync(file, known.file)
        yield* until(notices.away, (why) => why === null)
        expect(yield* looked(server.url, file)).toBe(null)
      })
    ))

  it("that may not listen or not tell is found out, by the doctor and while it runs", () =>
    run(
      Effect.gen(function* () {
        const { at } = yield* serverOf(users)
        const [deaf, mute] = [`nats://deaf:s3cr3t-word@${at}`, `nats://mute:s3cr3t-word@${at}`]
        const [noEar, noMouth] = ["the login may not subscribe there", "the login may not publish there"]
        expect([yield* looked(deaf), yield* looked(mute)]).toEqual([noEar, noMouth])
        expect(yield* (yield* join(deaf)).away).toContain(noEar)
        const notices = yield* join(mute)
        const ear = listen(notices)
        notices.publish("a")
        expect(yield* until(notices.away, (why) => why !== null)).toContain(noMouth)
        const other = yield* join(`nats://pawl:s3cr3t-word@${at}`)
        other.publish("b")
        yield* ear.until("b")
      })
    ))
})

describe.skipIf(missing !== null)("A server of NATS", () => {
  it("is looked at: one that carries what is told, one that is not there, and one that takes too little", () =>
    run(
      Effect.gen(function* () {
        const [good, small] = [yield* serverOf(""), yield* serverOf("max_payload: 4096")]
        const { host, port } = ownAddress()
        expect(yield* looked(good.url)).toBe(null)
        expect(yield* looked(`nats://${host}:${port}`)).toBe("nobody listens there")
        expect(yield* looked("nats://no-such-host.invalid")).toMatch(/host/)
        expect(yield* looked(small.url)).toBe("it takes messages of 4096 bytes, and Pawl's have up to 51200")
      })
    ))

  it("is talked to over TLS where the option says so, when its certificate is trusted and its own, and not at all else", () =>
    run(
      Effect.gen(function* () {
        const [own, strange, plain] = [yield* onTls("localhost"), yield* onTls("other.example"), yield* onLocalhost("")]
        const [of, ofStrange, ofPlain] = [own, strange, plain].map(({ address }) => `tls://localhost:${address.port}`)
        expect(yield* looked(of!)).toBe("its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)")
        expect(yield* looked(ofPlain!)).toBe("it has no TLS: use nats://, or turn it on there")
        const program = `
          import { Effect } from "effect"
          import { look } from "@pawl/adapters-nats/NatsLook"
          import { serversOf } from "@pawl/adapters-nats/NatsAddress"
          for (const url of ["${of}", "${ofStrange}"])
            console.log(await Effect.runPromise(look({ ...serversOf(url), credentials: null })))`
        const options = ["--conditions=pawl-source", "--input-type=module", "--disable-warning=ExperimentalWarning"]
        const trusting = yield* Effect.promise(() =>
          promisify(execFile)(process.execPath, [...options, "-e", program], {
            cwd: import.meta.dirname,
            env: { NODE_EXTRA_CA_CERTS: trusted }
          })
        )
        expect(trusting.stdout.split("\n")).toEqual([
          "null",
          "its certificate is of another host (ERR_TLS_CERT_ALTNAME_INVALID): name the host as the certificate does",
          ""
        ])
      })
    ))
})
