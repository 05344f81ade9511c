/** The object of one Project: its canonical line, its Changes and all else of it, decided one after the other. */
import type { DurableObjectState } from "@cloudflare/workers-types"
import * as Mirror from "@pawl/adapters-cloudflare/directory/Mirror"
import type { Reserved } from "@pawl/adapters-cloudflare/directory/Wire"
import { type Hint, sweepCommands } from "@pawl/adapters-cloudflare/hints/Hint"
import * as PrintedLines from "@pawl/adapters-cloudflare/runtime/PrintedLines"
import { projectStores } from "@pawl/adapters-cloudflare/directory/ProjectStores"
import { taskTokenKind } from "@pawl/adapters-cloudflare/directory/Scopes"
import { AppLogs } from "@pawl/core/app/AppLogs"
import type { AppVersion } from "@pawl/core/app/AppRuntime"
import { isOpenTo } from "@pawl/core/app/DataBounds"
import { PointerSource } from "@pawl/core/app/PointerSource"
import { Ledger, type LedgerUnavailable } from "@pawl/core/ledger/Ledger"
import { Records } from "@pawl/core/ledger/Records"
import { find } from "@pawl/core/ledger/Decision"
import { commandId } from "@pawl/core/model/Command"
import { type Kind, kinds, pointerKey } from "@pawl/core/model/Entities"
import type { Channel } from "@pawl/core/model/Pointer"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { NewProjectId } from "@pawl/core/project/Projects"
import { sweepPacks } from "@pawl/core/upkeep/PackSweep"
import { sweepExpired } from "@pawl/core/upkeep/RetentionSweep"
import { Commands } from "@pawl/core/work/Commands"
import { afterCopy } from "@pawl/core/work/CopyHold"
import { handlers } from "@pawl/core/worker/Handlers"
import type { Stores } from "@pawl/sql/SqlStores"
import { table } from "@pawl/sql/Tables"
import { Context, Effect } from "effect"
import type { CanonicalBindings, DirectoryObjectCalls, ProjectCalls } from "./Bindings.ts"
import { ServerLimits } from "../ServerLimits.ts"
import { directoryName } from "./Names.ts"
import { nextDueMs, type Work } from "./Drain.ts"
import * as OwnClock from "./OwnClock.ts"
import { type Parts, PawlObject } from "./PawlObject.ts"

const isRecordKind = (kind: string): kind is Kind => kinds.some((each) => each === kind)

const isDead = (id: string) =>
  Effect.flatMap(Commands, (commands) => commands.deadLetter(id)).pipe(
    Effect.as(true),
    Effect.catchTag("DeadLetterMissing", () => Effect.succeed(false))
  )

const isToken = (hash: string) =>
  Effect.map(
    Effect.flatMap(Records, (records) => records.list("taskRun", { where: { token: hash }, limit: 1 })),
    ({ items }) => items.length > 0
  )

/** Whether there is something for what was reserved. */
const isThere = ({ id, kind }: Reserved): Effect.Effect<boolean, LedgerUnavailable, Commands | Records> =>
  isRecordKind(kind)
    ? Effect.map(find(kind, id), (found) => found !== null)
    : kind === taskTokenKind
      ? isToken(id)
      : isDead(id)

const warn = (problem: unknown): Promise<void> =>
  Effect.runPromise(Effect.logWarning("the directory was not told", problem))

/** A Project. Its name is the Project's id. */
export class ProjectObject extends PawlObject implements ProjectCalls {
  private readonly takeLines = PrintedLines.make()
  private readonly ownClock: OwnClock.OwnClock<Parts>
  private untilTold: Promise<void> | null = null
  private isBehind = false
  private wasMade = false
  /** Since when a hint is on its way that may still come, in ms since 1970; null when none is. */
  private hintedAtMs: number | null = null
  /** When the next work is due, as the directory was told; undefined: this object does not know what that was told. */
  private toldDueMs: number | null | undefined = undefined
  /** Since when the directory lacks something, in ms since 1970; null when it has all. */
  private untoldSinceMs: number | null = null

  constructor(ctx: DurableObjectState, env: CanonicalBindings) {
    super(ctx, env)
    Mirror.noteChanges(this.storage)
    this.ownClock = OwnClock.make<Parts>(this.storage, [
      OwnClock.claims,
      OwnClock.calls,
      OwnClock.releases,
      OwnClock.packs(this.scope()),
      // Without a model there is nobody to ask.
      ...(env.MODELS === undefined ? [] : [OwnClock.reviews(this.storage)])
    ])
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
    return {
      ...handlers,
      // Of what all share this is its own part, also of one that is archived: nobody else looks after it.
      "retention.sweep": () => afterCopy(sweepExpired({ projectId: this.scope() })),
      "packs.sweep": () => afterCopy(sweepPacks)
    }
  }

  /** Nobody else works here: whoever held something was this object before, which is gone. */
  protected override begun(): Effect.Effect<void, unknown, Parts> {
    return Effect.asVoid(Effect.flatMap(Commands, (commands) => commands.releaseAll))
  }

  /** Whether there is a Project here, or work that makes one. */
  private isMade(): boolean {
    const look = `SELECT 1 FROM ${table("project").name} UNION ALL SELECT 1 FROM pawl_command LIMIT 1`
    this.wasMade ||= this.storage.sql.exec(look).toArray().length > 0
    return this.wasMade
  }

  /** Where there is no Project there is nothing to do, and nothing to tell. */
  protected override rouse(): void {
    if (this.isMade()) super.rouse()
  }

  /** What was deleted is made anew with the next object of this name: this one has no tables any more. */
  async forget(): Promise<void> {
    if (this.isMade()) return
    await this.ctx.storage.deleteAll()
    this.ctx.abort("no Project was made here")
  }

  /** Whether the directory lacks something of this Project. */
  private isUntold(): boolean {
    return Mirror.isBehind(this.storage) || nextDueMs(this.storage) !== this.toldDueMs
  }

  /** Has the queue bring the Project back here, to tell. The rows stay until the directory has them. */
  protected override moved(): void {
    const nowMs = Date.now()
    const isHinted = this.hintedAtMs !== null && nowMs - this.hintedAtMs < ServerLimits.tellAgainMs
    if (isHinted || !this.isUntold()) return
    this.hintedAtMs = nowMs
    this.ctx.waitUntil(this.env.HINTS.send({ _tag: "Moved", projectId: this.scope() }).then(undefined, warn))
    // The alarm may have work for long, and a queue may take its time: lists are a second behind at most all the same.
    setTimeout(() => {
      if (this.hintedAtMs === nowMs) this.ctx.waitUntil(this.tell().catch(warn))
    }, ServerLimits.tellUnhintedMs)
  }

  protected override clock(): Effect.Effect<void, never, Parts> {
    return this.ownClock.due
  }

  protected override lookAgainMs(): number | null {
    if (!this.isUntold()) this.untoldSinceMs = null
    else this.untoldSinceMs ??= Date.now()
    const tellMs = this.untoldSinceMs === null ? null : Date.now() + ServerLimits.tellAgainMs
    const ownMs = this.ownClock.nextMs()
    return tellMs === null || ownMs === null ? (tellMs ?? ownMs) : Math.min(tellMs, ownMs)
  }

  /** What no hint had told in time is told from here. */
  override async alarm(): Promise<void> {
    await super.alarm()
    const sinceMs = this.untoldSinceMs
    if (sinceMs !== null && Date.now() - sinceMs >= ServerLimits.tellAgainMs) await this.tell().catch(warn)
  }

  /** Tells the directory what it lacks. Rejects when that did not take it. */
  private tell(): Promise<void> {
    this.hintedAtMs = null
    this.isBehind = true
    this.untilTold ??= Promise.resolve().then(() => this.tellAll())
    return this.untilTold
  }

  /** One message after the other. */
  private async tellAll(): Promise<void> {
    const directory = this.directory()
    try {
      while (this.isBehind) {
        this.isBehind = false
        for (let more = true; more;) {
          const found: Mirror.Changed = Mirror.changed(this.storage) ?? { position: 0, rows: [] }
          const dueMs = nextDueMs(this.storage)
          const answer = await directory.mirror(this.scope(), found.position, found.rows, dueMs, found.news)
          if (answer._tag !== "Done") throw new Error("the directory did not take it")
          Mirror.sent(this.storage, found.position)
          this.toldDueMs = dueMs
          more = found.position > 0
        }
      }
      this.untoldSinceMs = null
    } finally {
      this.untilTold = null
    }
  }

  hinted(hint: Hint): Promise<void> {
    if (hint._tag === "Upkeep") return this.upkeep(hint.what)
    // What came late has been told already.
    if (this.isUntold()) return this.tell()
    this.hintedAtMs = null
    return Promise.resolve()
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

  /** Does what is due by the clock of the directory. */
  private async upkeep(what: ReadonlyArray<string>): Promise<void> {
    const commands = sweepCommands
      .filter((kind) => what.includes(kind))
      .map((kind) => ({ kind, id: commandId(kind, this.scope()), payload: {} }))
    if (commands.length === 0) return
    const commit = { name: "Upkeep.ask", projectId: this.scope(), commands }
    await this.run(Effect.flatMap(Ledger, (ledger) => ledger.commit(commit)))
  }

  has(ids: ReadonlyArray<Reserved>): Promise<ReadonlyArray<Reserved>> {
    return this.run(Effect.filter(ids, isThere))
  }

  async wake(): Promise<void> {
    await this.settle()
    await this.tell()
  }

  pointer(label: string, channel: Channel) {
    return this.run(Effect.flatMap(PointerSource, (pointers) => pointers.find(label, channel)))
  }

  /** Whether the app of this incarnation is there, and the channel. */
  private isOpen(channel: string, incarnation: number) {
    const rowOf = (wanted: string) => find("pointer", pointerKey(this.scope(), wanted))
    return Effect.map(Effect.all([rowOf(channel), rowOf("production")]), ([own, production]) =>
      isOpenTo(incarnation, own?.record, production?.record)
    )
  }

  mayWrite(channel: string, incarnation: number): Promise<boolean> {
    return this.run(this.isOpen(channel, incarnation))
  }

  printed(version: AppVersion, printed: PrintedLines.Printed): Promise<void> {
    const { channel, incarnation } = version
    const isOpen = incarnation === undefined ? Effect.succeed(true) : this.isOpen(channel, incarnation)
    return this.run(
      this.takeLines(
        // Asked at each write: that lines were dropped is told a moment later.
        (lines) =>
          Effect.flatMap(isOpen, (is) =>
            is ? Effect.flatMap(AppLogs, (logs) => logs.append(this.scope(), lines)) : Effect.void
          ),
        version,
        printed
      )
    )
  }
}
