/**
 * The object of what is no Project's: organizations, users, tokens, labels, budgets, of which Project an id is, and copies of
 * some of the Projects' records for lists and routers. Its clock is that of all.
 */
import type { DurableObjectState } from "@cloudflare/workers-types"
import { directoryStores } from "@pawl/adapters-cloudflare/directory/DirectoryStores"
import * as Mirror from "@pawl/adapters-cloudflare/directory/Mirror"
import * as Reservations from "@pawl/adapters-cloudflare/directory/Reservations"
import { sendAll, type sweepCommands } from "@pawl/adapters-cloudflare/hints/Hint"
import { bury, type DeadHint, hintOf } from "@pawl/adapters-cloudflare/hints/HintConsumer"
import type { MirroredNews, MirroredRow, Reserved } from "@pawl/adapters-cloudflare/directory/Wire"
import { make as databaseOf } from "@pawl/adapters-cloudflare/sqlite/DurableObjectDatabase"
import * as Organizations from "@pawl/core/access/Organizations"
import { DailyCounter } from "@pawl/core/bundle/DailyCounter"
import { find } from "@pawl/core/ledger/Decision"
import { eventsOf } from "@pawl/core/ledger/Signals"
import type { Lease } from "@pawl/core/model/Command"
import { introduce } from "@pawl/core/provenance/Keys"
import { sweepExpired } from "@pawl/core/upkeep/RetentionSweep"
import * as Schedules from "@pawl/core/upkeep/Schedules"
import { Commands } from "@pawl/core/work/Commands"
import { afterCopy } from "@pawl/core/work/CopyHold"
import { Process } from "@pawl/core/work/Processes"
import { handlers } from "@pawl/core/worker/Handlers"
import type { Stores } from "@pawl/sql/SqlStores"
import { type Context, Effect, Redacted } from "effect"
import type { ReadyState } from "../http/Readiness.ts"
import { ServerLimits } from "../ServerLimits.ts"
import * as DirectoryReadiness from "./DirectoryReadiness.ts"
import type { CanonicalBindings, DirectoryObjectCalls } from "./Bindings.ts"
import type { Work } from "./Drain.ts"
import { type Parts, PawlObject } from "./PawlObject.ts"

/** The directory. There is one. */
export class DirectoryObject extends PawlObject implements DirectoryObjectCalls {
  constructor(ctx: DurableObjectState, env: CanonicalBindings) {
    super(ctx, env)
    Reservations.prepare(this.storage)
    Mirror.takeCopies(this.storage)
  }

  protected override scope(): null {
    return null
  }

  protected override scoped(own: Context.Context<Stores>): Context.Context<Stores> {
    return directoryStores(own, databaseOf(this.storage), {
      project: (id) => this.env.PROJECTS.getByName(id),
      whereIs: (reserved) => Reservations.projectOf(this.storage, reserved)
    })
  }

  protected override ready(): Effect.Effect<ReadyState, never, Parts> {
    return DirectoryReadiness.state
  }

  /** Without a token for its first owner nobody is let in, and the installation is not ready: nothing is to be tried again. */
  protected override begun(): Effect.Effect<void, unknown, Parts> {
    const token = Redacted.make(this.env.OWNER_TOKEN ?? "")
    return Effect.andThen(
      Effect.catchTag(
        Organizations.bootstrap({ organization: "Home", owner: "Owner", token }),
        "InvalidField",
        ({ reason }) => Effect.logError(`the secret OWNER_TOKEN cannot be used: ${reason}`)
      ),
      Effect.catchTag(introduce, "SignerUnavailable", (problem) => Effect.logWarning(problem.message))
    )
  }

  protected override moved(): void {
    // Nobody has copies of it.
  }

  /** Wakes Projects past any queue. One that cannot be reached is late at the next look too. */
  private wakeAll(projects: ReadonlyArray<string>) {
    return Effect.forEach(
      projects,
      (id) =>
        Effect.catch(
          Effect.tryPromise(() => this.env.PROJECTS.getByName(id).wake()),
          (problem) =>
            Effect.annotateLogs(Effect.logWarning("a Project could not be woken", problem), { projectId: id })
        ),
      { concurrency: ServerLimits.projectsWokenAtOnce, discard: true }
    )
  }

  /** Hints all Projects at what is due by the clock. */
  private upkeep(what: ReadonlyArray<(typeof sweepCommands)[number]>) {
    const projects = Mirror.projects(this.storage)
    return Effect.tryPromise(() =>
      sendAll(
        this.env.HINTS,
        projects.map((projectId) => ({ _tag: "Upkeep", projectId, what }))
      )
    )
  }

  protected override work(): Work {
    return {
      ...handlers,
      // Which Candidates have a review is said by their Projects' own rows.
      "candidate.reviews": () => Effect.void,
      // What is a Project's is swept by its own object, which has its packs and its newest rows.
      "forks.sweep": () => this.upkeep(["forks.sweep"]),
      "retention.sweep": () =>
        Effect.gen({ self: this }, function* () {
          // Projects first, and once, whatever becomes of what is left here.
          if ((yield* Process).steps.size === 0) yield* this.upkeep(["retention.sweep"])
          yield* afterCopy(sweepExpired("noProjects"))
          yield* this.sweepReservations()
        }),
      // Its source, and what follows, is the Project's own.
      "project.provision": ({ payload }) => {
        const { project } = payload as { readonly project: { readonly id: string } }
        return Effect.tryPromise(() => this.env.PROJECTS.getByName(project.id).provision(payload))
      },
      // A person has it tried again.
      "project.hint": ({ payload }) =>
        Effect.flatMap(hintOf(payload), (hint) =>
          Effect.tryPromise(() => this.env.PROJECTS.getByName(hint.projectId).hinted(hint))
        )
    }
  }

  /** Forgets ids that were reserved long ago for a record that never came. */
  private sweepReservations() {
    const nowMs = Date.now()
    const swept = {
      nowMs,
      beforeMs: nowMs - ServerLimits.reservationMs,
      againMs: nowMs + ServerLimits.reservationAgainMs,
      atOnce: ServerLimits.reservationsAtOnce,
      projectsAtOnce: ServerLimits.projectsWokenAtOnce
    }
    return Reservations.sweep(this.storage, swept, (id, ids) => this.env.PROJECTS.getByName(id).has(ids))
  }

  async tick(): Promise<void> {
    await this.run(
      Effect.gen({ self: this }, function* () {
        yield* Schedules.tick
        yield* this.wakeAll(Mirror.overdue(this.storage, Date.now() - ServerLimits.overdueMs))
      })
    )
    await this.settle()
  }

  bury(dead: ReadonlyArray<DeadHint>) {
    return this.telling(Effect.as(Effect.forEach(dead, bury, { discard: true }), null))
  }

  reserve(projectId: string, ids: ReadonlyArray<Reserved>) {
    return this.telling(
      Effect.as(
        Effect.sync(() => Reservations.reserve(this.storage, projectId, ids, Date.now())),
        null
      )
    )
  }

  mirror(
    projectId: string,
    position: number,
    rows: ReadonlyArray<MirroredRow>,
    dueMs: number | null,
    news?: MirroredNews
  ) {
    const what = { position, rows, ...(news === undefined ? {} : { news }) }
    return this.telling(
      Effect.sync(() => {
        // Who follows all Projects looks at once.
        if (Mirror.take(this.storage, projectId, what, dueMs, Date.now())) this.signals.notify(eventsOf(projectId))
        return null
      })
    )
  }

  whereIs(kind: string, id: string): Promise<string | null> {
    return Promise.resolve(Reservations.projectOf(this.storage, { kind, id }))
  }

  projectOfLabel(label: string): Promise<string | null> {
    return this.run(Effect.map(find("label", label), (found) => found?.record.projectId ?? null))
  }

  finish(lease: Lease) {
    return this.telling(
      Effect.as(
        Effect.flatMap(Commands, (commands) => commands.finish(lease)),
        null
      )
    )
  }

  used(name: string, day: string) {
    return this.telling(Effect.flatMap(DailyCounter, (counter) => counter.used(name, day)))
  }

  usedBy(prefix: string, day: string) {
    return this.telling(Effect.flatMap(DailyCounter, (counter) => counter.usedBy(prefix, day)))
  }

  take(name: string, day: string, max: number, also: ReadonlyArray<string>) {
    return this.telling(Effect.flatMap(DailyCounter, (counter) => counter.take(name, day, max, also)))
  }

  add(name: string, day: string, amount: number, also: ReadonlyArray<string>) {
    return this.telling(
      Effect.as(
        Effect.flatMap(DailyCounter, (counter) => counter.add(name, day, amount, also)),
        null
      )
    )
  }
}
