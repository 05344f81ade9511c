/** The object of one Project: its canonical line, its Changes and all else of it, decided one after the other. */
import type { DurableObjectState } from "@cloudflare/workers-types"
import * as Mirror from "@pawl/adapters-cloudflare/directory/Mirror"
import type { Reserved } from "@pawl/adapters-cloudflare/directory/Wire"
import { projectStores } from "@pawl/adapters-cloudflare/directory/ProjectStores"
import { callData, type DataCall } from "@pawl/adapters-cloudflare/runtime/AppBindings"
import { sweepCalls } from "@pawl/core/agent/Spending"
import { AppData } from "@pawl/core/app/AppData"
import { PointerSource } from "@pawl/core/app/PointerSource"
import { expireClaims } from "@pawl/core/claim/Claims"
import { Ledger, type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import type { Records } from "@pawl/core/ledger/Records"
import { find } from "@pawl/core/ledger/Decision"
import { CommandKind, commandId } from "@pawl/core/model/Command"
import { type Kind, kinds } from "@pawl/core/model/Entities"
import type { Channel } from "@pawl/core/model/Pointer"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { NewProjectId } from "@pawl/core/project/Projects"
import { scanStuck } from "@pawl/core/release/Recovery"
import { Commands } from "@pawl/core/work/Commands"
import { handlers } from "@pawl/core/worker/Handlers"
import type { Stores } from "@pawl/sql/SqlStores"
import { Context, Effect, Schema } from "effect"
import type { CanonicalBindings, DirectoryObjectCalls, ProjectCalls } from "./Bindings.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { directoryName } from "./Names.ts"
import { nextDueMs, type Work } from "./Drain.ts"
import { type Parts, PawlObject } from "./PawlObject.ts"

const isKind = Schema.is(CommandKind)
const isRecordKind = (kind: string): kind is Kind => kinds.some((each) => each === kind)

/** What of a schedule each Project does for itself, where it is no command. */
const scheduled = {
  "release.recover": scanStuck,
  "calls.sweep": sweepCalls,
  "claim.expire": expireClaims
} as const

const isScheduled = (name: string): name is keyof typeof scheduled => Object.hasOwn(scheduled, name)

const isDead = (id: string) =>
  Effect.flatMap(Commands, (commands) => commands.deadLetter(id)).pipe(
    Effect.as(true),
    Effect.catchTag("DeadLetterMissing", () => Effect.succeed(false))
  )

/** A Project. Its name is the Project's id. */
export class ProjectObject extends PawlObject implements ProjectCalls {
  private untilTold: Promise<void> | null = null
  private isBehind = false

  constructor(ctx: DurableObjectState, env: CanonicalBindings) {
    super(ctx, env)
    Mirror.noteChanges(this.storage)
  }

  protected override scope(): ProjectId {
    const { name } = this.ctx.id
    if (name === undefined) throw new Error("a Project's object is reached by its name")
    return name as ProjectId
  }

  private directory(): DirectoryObjectCalls {
    return this.env.DIRECTORY.getByName(directoryName)
  }

  protected override scoped(own: Context.Context<Stores>): Context.Context<Stores> {
    // Whatever is committed is told to the directory, by the alarm where this object is gone before.
    return projectStores(this.scope(), own, this.directory(), () => this.rouse())
  }

  protected override around<A>(services: Context.Context<A>): Context.Context<A> {
    return Context.merge(services, Context.make(NewProjectId, Effect.succeed(this.scope())))
  }

  protected override work(): Work {
    return handlers
  }

  /** Nobody else works here: whoever held something was this object before, which is gone. */
  protected override begun(): Effect.Effect<void, unknown, Parts> {
    return Effect.asVoid(Effect.flatMap(Commands, (commands) => commands.releaseAll))
  }

  /** Tells the directory what changed, one message after the other. What cannot be told now is told by the next alarm. */
  protected override moved(): void {
    this.isBehind = true
    this.untilTold ??= this.tellAll()
      .catch(() => this.ctx.storage.setAlarm(Date.now() + ServerLimits.tellAgainMs))
      .finally(() => {
        this.untilTold = null
      })
    this.ctx.waitUntil(this.untilTold)
  }

  private async tellAll(): Promise<void> {
    const directory = this.directory()
    while (this.isBehind) {
      this.isBehind = false
      for (let more = true; more;) {
        const found = Mirror.changed(this.storage) ?? { position: 0, rows: [] }
        const answer = await directory.mirror(this.scope(), found.position, found.rows, nextDueMs(this.storage))
        if (answer._tag !== "Done") throw new Error("the directory did not take it")
        Mirror.sent(this.storage, found.position)
        more = found.rows.length > 0
      }
    }
  }

  provision(payload: Readonly<Record<string, unknown>>): Promise<void> {
    const id = commandId("project.provision", this.scope())
    return this.run(
      Effect.flatMap(Ledger, (ledger) =>
        ledger.commit({
          name: "Projects.carryOn",
          projectId: this.scope(),
          commands: [{ kind: "project.provision", id, payload }]
        })
      )
    ).then(() => undefined)
  }

  upkeep(what: ReadonlyArray<string>): Promise<void> {
    const commands = what.filter(isKind).map((kind) => ({ kind, id: commandId(kind, this.scope()), payload: {} }))
    return this.run(
      Effect.gen({ self: this }, function* () {
        for (const name of what) if (isScheduled(name)) yield* scheduled[name]
        if (commands.length === 0) return
        yield* (yield* Ledger).commit({ name: "Upkeep.ask", projectId: this.scope(), commands })
      })
    )
  }

  has(ids: ReadonlyArray<Reserved>): Promise<ReadonlyArray<Reserved>> {
    return this.run(
      Effect.filter(ids, ({ id, kind }): Effect.Effect<boolean, LedgerUnavailable, Commands | Records> =>
        isRecordKind(kind) ? Effect.map(find(kind, id), (found) => found !== null) : isDead(id)
      )
    )
  }

  async wake(): Promise<void> {
    await this.settle()
    this.moved()
  }

  pointer(label: string, channel: Channel) {
    return this.run(Effect.flatMap(PointerSource, (pointers) => pointers.find(label, channel)))
  }

  appData(channel: string, incarnation: number | undefined, call: unknown): Promise<unknown> {
    const project = this.scope()
    const version = { project, channel: channel as Channel, ...(incarnation === undefined ? {} : { incarnation }) }
    return this.run(Effect.flatMap(AppData, (data) => Effect.promise(() => callData(data, version, call as DataCall))))
  }
}
