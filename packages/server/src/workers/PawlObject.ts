/**
 * What the objects of Projects and the directory have in common: the stores on their SQLite, the API before them, and the
 * alarm that does their commands. An object may be gone at any moment; all that it knows is in its SQLite.
 */
import { DurableObject } from "cloudflare:workers"
import type { DurableObjectState } from "@cloudflare/workers-types"
import { told, type StoreCalls, type StoreFailure, type Told } from "@pawl/adapters-cloudflare/directory/Wire"
import type { ObjectStorage } from "@pawl/adapters-cloudflare/sqlite/ObjectStorage"
import * as DurableObjectStores from "@pawl/adapters-cloudflare/sqlite/DurableObjectStores"
import { AppData } from "@pawl/core/app/AppData"
import type { Commit } from "@pawl/core/ledger/Commit"
import { Ledger } from "@pawl/core/ledger/Ledger"
import { type Listing, Records } from "@pawl/core/ledger/Records"
import * as Signals from "@pawl/core/ledger/Signals"
import type { Kind } from "@pawl/core/model/Entities"
import { recent } from "@pawl/core/primitives/Recent"
import { Commands, type LetterPage } from "@pawl/core/work/Commands"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context, Effect, Layer, Option, Scope } from "effect"
import { HttpEffect, HttpServerRequest } from "effect/http"
import { type HttpApp, makeHttpApp } from "../http/PawlHttpApp.ts"
import { IdentityProvider } from "../http/IdentityProvider.ts"
import { Readiness, type ReadyState } from "../http/Readiness.ts"
import * as RateLimits from "../http/request/RateLimits.ts"
import { ApiSettings } from "../http/ApiSettings.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { prefix } from "../git/GitPath.ts"
import type { CanonicalBindings, InstallationSettings } from "./Bindings.ts"
import { appDataOf } from "./DataStores.ts"
import * as GitAnswer from "./GitAnswer.ts"
import { drain, nextDueMs, type Work } from "./Drain.ts"
import { identityName } from "./Names.ts"
import * as ObjectParts from "./ObjectParts.ts"
import * as RemoteIdentity from "./RemoteIdentity.ts"

/** Everything that an object runs with. */
export type Parts = Layer.Success<ReturnType<typeof ObjectParts.layer>>

interface Running {
  readonly services: Context.Context<Parts>
  readonly answer: (request: Request) => Promise<Response>
  readonly git: (request: Request) => Promise<Response>
}

/** Who asks is said by Cloudflare, which lets nobody else write this header. Strangers are counted by it. */
const fromVisitors = (app: HttpApp): HttpApp =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, (given) => {
    const address = Option.fromUndefinedOr(given.headers["cf-connecting-ip"])
    return Effect.provideService(app, HttpServerRequest.HttpServerRequest, given.modify({ remoteAddress: address }))
  })

const httpSettings = (settings: InstallationSettings): ApiSettings["Service"] => ({
  requestsPerMinute: settings.requestsPerMinute,
  version: settings.version,
  origin: settings.apiOrigin,
  environment: settings.environment
})

/** The provider of identities, which another script asks. */
const providerOf = ({ IDENTITY, SETTINGS }: CanonicalBindings) =>
  IDENTITY === undefined || SETTINGS.oidc === null
    ? null
    : RemoteIdentity.make(IDENTITY.getByName(identityName), SETTINGS.oidc.clientId !== null)

/** An object, with what differs between a Project's and the directory left open. */
export abstract class PawlObject extends DurableObject<CanonicalBindings> implements StoreCalls {
  protected readonly storage: ObjectStorage
  protected readonly signals = Signals.make()
  private running: Promise<Running> | null = null
  private isDraining = false

  constructor(ctx: DurableObjectState, env: CanonicalBindings) {
    super(ctx, env)
    this.storage = ctx.storage
    DurableObjectStores.bringToShape(this.storage)
    // What was committed and what wakes the object for it are written together: nothing waits in between.
    this.signals.listen((topic) => {
      if (topic === Signals.work) this.rouse()
    })
  }

  /** The object's own stores, and those that it asks others for. */
  protected abstract scoped(own: Context.Context<Stores>): Context.Context<Stores>
  /** What it does for each command. */
  protected abstract work(): Work
  /** Done once, when the parts are there. */
  protected begun(): Effect.Effect<void, unknown, Parts> {
    return Effect.void
  }
  /** What it looks after by its own rows, with each alarm and each minute of a long one. */
  protected clock(): Effect.Effect<void, never, Parts> {
    return Effect.void
  }
  /** Whether it can work, asked at most once in `ServerLimits.readyAgeMs`. */
  protected ready(): Effect.Effect<ReadyState, never, Parts> {
    return Effect.succeed({ status: "ready" })
  }
  /** Told when work came or ended. */
  protected abstract moved(): void
  /** What else the services say of this object. */
  protected around<A>(services: Context.Context<A>): Context.Context<A> {
    return services
  }

  /** The parts, built once for as long as the object lives. What fails is built anew by whoever asks next. */
  private parts(): Promise<Running> {
    this.running ??= Effect.runPromise(this.build()).catch((error: unknown) => {
      this.running = null
      throw error
    })
    return this.running
  }

  private build() {
    const { env, storage } = this
    return Effect.gen({ self: this }, function* () {
      // The object's end is nobody's to see: its scope is never closed.
      const scope = yield* Scope.make()
      const own = yield* Layer.buildWithScope(DurableObjectStores.layer(storage, this.signals), scope)
      const around = ObjectParts.surroundings(this.ctx)
      const stores = Context.add(this.scoped(own), AppData, appDataOf(env))
      const layer = ObjectParts.layer(env, this.scope(), stores, around)
      const services = this.around(yield* Layer.buildWithScope(layer, scope)).pipe(
        Context.add(IdentityProvider, providerOf(env))
      )
      const settings = httpSettings(env.SETTINGS)
      // All requests of a caller are counted together, those of git too.
      const rates = yield* Layer.buildWithScope(
        Layer.provide(RateLimits.layer, Layer.succeed(ApiSettings, settings)),
        scope
      )
      const ready = yield* recent(Effect.provideContext(this.ready(), services), ServerLimits.readyAgeMs)
      const counted = Context.add(Context.merge(services, rates), Readiness, ready)
      const app = yield* makeHttpApp(settings).pipe(
        Effect.provideService(Scope.Scope, scope),
        Effect.provideContext(counted)
      )
      const answer = HttpEffect.toWebHandlerWith<Parts, HttpServerRequest.HttpServerRequest | Scope.Scope>(services)(
        fromVisitors(app)
      )
      yield* Effect.provideContext(this.begun(), services)
      return { services, answer, git: GitAnswer.make(counted) }
    })
  }

  /** Runs something with the parts of the object. */
  protected async run<A, E>(effect: Effect.Effect<A, E, Parts>): Promise<A> {
    const { services } = await this.parts()
    return Effect.runPromiseWith(services)(effect)
  }

  protected telling<A>(effect: Effect.Effect<A, StoreFailure, Parts>): Promise<Told<A>> {
    return this.run(told(effect))
  }

  /** Has the alarm come now. */
  protected rouse(): void {
    if (!this.isDraining) void this.ctx.storage.setAlarm(Date.now())
    this.moved()
  }

  /** When the object has to look again by itself, in ms since 1970, whether work is due or not; null: never. */
  protected lookAgainMs(): number | null {
    return null
  }

  /** Has the alarm come for what is next, if there is anything. */
  protected async settle(): Promise<void> {
    const moments = [nextDueMs(this.storage), this.lookAgainMs()].filter((each) => each !== null)
    if (moments.length > 0) await this.ctx.storage.setAlarm(Math.max(Math.min(...moments), Date.now()))
  }

  async fetch(request: Request): Promise<Response> {
    const { answer, git } = await this.parts()
    return new URL(request.url).pathname.startsWith(prefix) ? git(request) : answer(request)
  }

  override async alarm(): Promise<void> {
    if (this.env.SETTINGS.paused) return
    this.isDraining = true
    try {
      await this.run(drain(this.ctx.id.toString(), this.storage, this.work(), this.clock()))
    } finally {
      this.isDraining = false
    }
    await this.settle()
    this.moved()
  }

  recordOf(kind: Kind, id: string) {
    return this.telling(Effect.flatMap(Records, (records) => Effect.map(records.get(kind, id), Option.getOrNull)))
  }

  recordsOf(kind: Kind, ids: ReadonlyArray<string>) {
    return this.telling(Effect.flatMap(Records, (records) => records.many(kind, ids)))
  }

  pageOf(kind: Kind, listing: Listing<Kind>) {
    return this.telling(Effect.flatMap(Records, (records) => records.list(kind, listing)))
  }

  commit(commit: Commit) {
    return this.telling(Effect.flatMap(Ledger, (ledger) => ledger.commit(commit)))
  }

  lettersOf(page: LetterPage) {
    return this.telling(Effect.flatMap(Commands, (commands) => commands.deadLetters(this.scope(), page)))
  }

  /** Whose records these are: a Project's, or (null) the directory's. */
  protected abstract scope(): string | null
}
