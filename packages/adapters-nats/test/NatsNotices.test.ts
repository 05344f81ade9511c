import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import { connect } from "@nats-io/transport-node"
import { NatsLimits } from "@pawl/adapters-nats/NatsLimits"
import { subjectOf } from "@pawl/adapters-nats/NatsNotices"
import { noticesContract } from "@pawl/testing/contracts/stores/NoticesContract"
import { Effect, type Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ownAddress } from "../../adapters-local/test/OwnAddress.ts"
import { join, listen, logged, reached, until } from "./Joined.ts"
import * as NatsServer from "./NatsServer.ts"

const missing = NatsServer.whyNot()
if (missing !== null) console.warn(`SKIPPED: ${missing}`)

const run = <A>(body: Effect.Effect<A, unknown, Scope.Scope>) =>
  Effect.runPromise(Effect.provide(Effect.scoped(body), logged().layer))

describe.skipIf(missing !== null)("Notices over NATS", () => {
  let server: NatsServer.NatsServer
  beforeAll(async () => {
    server = await NatsServer.start()
  })
  afterAll(() => server?.stop())

  noticesContract("NATS", { join: (place) => join(server.url, place) })

  it("ask who listens to look when the server was killed and when it is back, and are heard again", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = [yield* join(server.url), yield* join(server.url)]
        const ear = listen(there)
        yield* Effect.promise(() => server.kill())
        expect(yield* until(there.away, (why) => why !== null)).toMatch(
          new RegExp(
            `^NATS at nats://${server.at}: (the connection was lost|it ends the connection|nobody listens there)$`
          )
        )
        expect(ear.heard).toEqual(["(missed)"])
        yield* until(here.away, (why) => why !== null)
        yield* Effect.promise(() => server.open())
        yield* reached(there)
        yield* reached(here)
        here.publish("said after")
        yield* ear.until("said after")
        expect(ear.heard).toEqual(["(missed)", "(missed)", "said after"])
      })
    ))

  it("give up a server that is silent, and hear it again when it goes on", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = [yield* join(server.url), yield* join(server.url)]
        const ear = listen(there)
        server.freeze()
        yield* Effect.all([here, there].map(({ away }) => until(away, (why) => why !== null)))
        server.thaw()
        yield* Effect.all([here, there].map(reached))
        here.publish("again")
        yield* ear.until("again")
        expect(ear.heard[0]).toBe("(missed)")
      })
    ))

  it("begin without a server, say so once in the log, and are heard when it comes", () =>
    run(
      Effect.gen(function* () {
        const address = ownAddress()
        const url = `nats://${address.host}:${address.port}`
        const { layer, lines } = logged()
        const [here, there] = yield* Effect.all([join(url), join(url)]).pipe(Effect.provide(layer))
        const ear = listen(there)
        const away = `NATS at ${url}: nobody listens there`
        expect(yield* Effect.all([here.away, there.away])).toEqual([away, away])
        here.publish("said before")
        const late = yield* Effect.acquireRelease(
          Effect.promise(() => NatsServer.start("", address)),
          ({ stop }) => Effect.promise(stop)
        )
        yield* Effect.all([here, there].map(reached))
        here.publish("said after")
        yield* ear.until("said after")
        // What waited goes out with the connection, and may be heard before it is told that more may have been missed.
        expect(ear.heard.slice(0, ear.heard.indexOf("said after"))).toContain("(missed)")
        const line = `Warn: notices: NATS at ${late.url} is not reached: nobody listens there. It is tried again; work is found by looking every now and then meanwhile.`
        const back = `Info: notices: NATS at ${late.url} is reached again`
        expect(lines.toSorted()).toEqual([back, back, line, line])
      })
    ))

  it("keep nobody from starting while many servers are silent", () =>
    run(
      Effect.gen(function* () {
        const open = new Set<Socket>()
        const silent = Effect.acquireRelease(
          Effect.callback<Server>((resume) => {
            const { host, port } = ownAddress()
            const server = createServer((socket) => void open.add(socket.on("error", () => undefined)))
            server.listen(port, host, () => resume(Effect.succeed(server)))
          }),
          (server) => Effect.sync(() => void server.close())
        )
        yield* Effect.addFinalizer(() => Effect.sync(() => open.forEach((socket) => socket.destroy())))
        const servers = yield* Effect.replicateEffect(silent, 4)
        const urls = servers.map((server) => {
          const { address, port } = server.address() as AddressInfo
          return `nats://${address}:${port}`
        })
        // It is still at the first two of them.
        const { away } = yield* join(urls.join(","))
        expect(yield* away).toBe(`NATS at ${urls.join(",")}: it was not reached yet`)
      })
    ))

  it("go to the next of several servers when one is not there", () =>
    run(
      Effect.gen(function* () {
        const { host, port } = ownAddress()
        const url = `nats://${host}:${port},${server.url}`
        const [here, there] = [yield* join(url), yield* join(url)]
        const ear = listen(there)
        here.publish("a")
        yield* ear.until("a")
        expect(yield* here.away).toBe(null)
      })
    ))

  it("hear nothing that no process of ours sends", () =>
    run(
      Effect.gen(function* () {
        const [here, there] = [yield* join(server.url), yield* join(server.url)]
        const ear = listen(there)
        const stranger = yield* Effect.acquireRelease(
          Effect.promise(() => connect({ servers: server.at })),
          (connection) => Effect.promise(() => connection.close())
        )
        stranger.publish(subjectOf("a place"), `x\n${"y".repeat(NatsLimits.natsMessageBytes)}`)
        stranger.publish(subjectOf("a place"), `x${"\ny".repeat(NatsLimits.natsTopicsAtOnce + 1)}`)
        stranger.publish(subjectOf("a place"), "")
        yield* Effect.promise(() => stranger.flush())
        here.publish("end")
        yield* ear.until("end")
        expect(ear.heard).toEqual(["end"])
      })
    ))

  it("tell nothing of the database's name to the server", () => {
    expect(subjectOf("7400000000000000000/16384/pawl")).toMatch(/^pawl\.notices\.[0-9a-f]{32}$/)
    expect(subjectOf("7400000000000000000/16384/pawl")).not.toBe(subjectOf("7400000000000000000/16384/pawl_b"))
  })
})
