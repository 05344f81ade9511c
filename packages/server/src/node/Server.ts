/** A running server: the listener, everything behind it, and the workers. It ends with its scope. */
import { existsSync, mkdirSync } from "node:fs"
import { dirname } from "node:path"
import * as DataFolder from "@pawl/adapters-local/sqlite/DataFolder"
import * as Organizations from "@pawl/core/access/Organizations"
import { Commands } from "@pawl/core/event/Commands"
import { handlers } from "@pawl/core/event/Handlers"
import * as Processes from "@pawl/core/ledger/Processes"
import { Limits } from "@pawl/core/primitives/Limits"
import * as NodeFront from "@pawl/router/node/NodeFront"
import { Effect, Layer, type Redacted } from "effect"
import * as Addresses from "./Addresses.ts"
import * as ApiListener from "./ApiListener.ts"
import * as Listener from "./Listener.ts"
import { InvalidOptions, type Options } from "./Options.ts"
import * as OwnerToken from "./OwnerToken.ts"
import { type Decorate, layer as pawlLayer } from "./Pawl.ts"

export interface Running {
  readonly port: number
  readonly apiOrigin: string
  readonly ownerToken: Redacted.Redacted
  /** The token was made now: show it once. */
  readonly tokenIsFresh: boolean
}

/** Folder by folder: `recursive` spins for ever on paths of /proc, where nothing can be made. */
const makeFolders = (path: string): void => {
  if (existsSync(path)) return
  makeFolders(dirname(path))
  mkdirSync(path, { mode: 0o700 })
}

const makeFolder = (data: string) =>
  Effect.try({
    try: () => makeFolders(data),
    catch: (error) =>
      new InvalidOptions({
        reason: `data: ${data} cannot be made: ${error instanceof Error ? error.message : String(error)}`
      })
  })

/** Starts a server and answers when it is ready. `decorate` is for tests that break things on purpose. */
export const start = (options: Options, decorate?: Decorate) =>
  Effect.gen(function* () {
    yield* makeFolder(options.data)
    yield* DataFolder.lock(options.data)
    const listener = yield* Listener.make({ host: options.host, port: options.port, drainMs: Limits.drainMs })
    const addresses = Addresses.of(options, listener.port)
    const services = yield* Layer.build(pawlLayer(options, addresses, decorate))
    const owner = yield* OwnerToken.read(options.data, options.ownerToken)
    yield* Effect.gen(function* () {
      // Whoever held a lease in this folder is dead: the folder is locked by this process.
      yield* (yield* Commands).releaseAll
      yield* Organizations.bootstrap({ organization: "Home", owner: "Owner", token: owner.token })
      const api = yield* ApiListener.make(options)
      const apps = options.appsDomain === null ? null : yield* NodeFront.make
      listener.attach({ api, apps, appsDomain: options.appsDomain, addresses })
      if (!options.paused)
        yield* Effect.forkScoped(
          Processes.worker({ name: `pawl-${process.pid}`, concurrency: Limits.workerConcurrency, handlers })
        )
    }).pipe(Effect.provide(services))
    return {
      port: listener.port,
      apiOrigin: addresses.apiOrigin,
      ownerToken: owner.token,
      tokenIsFresh: owner.fresh
    } satisfies Running
  })
