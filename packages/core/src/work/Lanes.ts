/**
 * Lanes of work. Each kind of command has slots of its own, so that long work of one kind (checks, agents) keeps none of
 * another waiting. A command that waits for a slot is not claimed: it holds nothing, and another process may take it.
 */
import { type Command, type CommandKind, commandKinds } from "../model/Command.ts"
import type { Claim } from "./Commands.ts"

/** Each lane by its name. Which kinds of command share one is said below. */
export const lanes = [
  "landing",
  "canonical",
  "verification",
  "provisioning",
  "planning",
  "agents",
  "webhooks",
  "signing"
] as const
/** One of `lanes`. */
export type Lane = (typeof lanes)[number]

const laneOf: Readonly<Record<CommandKind, Lane>> = {
  // What moves canonical: of those that land in turn none waits for the releases of those before it.
  "candidate.promote": "landing",
  "lane.step": "landing",
  // What moves the live app, and upkeep.
  "candidate.recompose": "canonical",
  "canonical.sweep": "canonical",
  "release.run": "canonical",
  "release.recover": "canonical",
  "app.remove": "canonical",
  "project.cleanup": "canonical",
  "forks.sweep": "canonical",
  "retention.sweep": "canonical",
  "packs.sweep": "canonical",
  "project.audits": "canonical",
  "project.audit": "canonical",
  "project.adopt": "canonical",
  "candidate.reviews": "canonical",
  "event.consume": "canonical",
  "project.hint": "canonical",
  // Not with the agents: all of them may be at work for longer than a lease.
  "run.lease": "canonical",
  "candidate.create": "verification",
  "run.checks": "verification",
  "project.provision": "provisioning",
  "app.provision": "provisioning",
  "agent.wake": "agents",
  "candidate.review": "agents",
  // Not with the agents: all of them may be waiting for a model, and it also asks for Candidates.
  "change.dispatch": "planning",
  "webhook.deliver": "webhooks",
  "checkpoint.publish": "webhooks",
  // A signer that is slow or away keeps nothing else waiting.
  "statement.sign": "signing"
}

/** How many commands of a lane a process works on at a time. */
export type SlotsPerLane = Readonly<Record<Lane, number>>

/**
 * What may be claimed now. `isEverything` when nothing was left out, so that a slot that becomes free changes nothing.
 */
export interface Room extends Required<Pick<Claim, "kinds" | "except">> {
  readonly isEverything: boolean
}

/**
 * The slots of a process. A lone Project may have all of a lane. While a lane is full, a Project that has none in it may
 * go beyond, up to twice the lane's slots: so no Project waits for the end of another's long work.
 */
export class Slots {
  private readonly held = new Map<Lane, Map<string | null, number>>(lanes.map((lane) => [lane, new Map()]))
  private readonly perLane: SlotsPerLane
  private readonly kinds: ReadonlyArray<CommandKind>

  constructor(perLane: SlotsPerLane, kinds: ReadonlyArray<CommandKind> = commandKinds) {
    this.perLane = perLane
    this.kinds = kinds
  }

  take(command: Command): void {
    this.count(command, 1)
  }

  free(command: Command): void {
    this.count(command, -1)
  }

  private count({ kind, projectId }: Command, by: number): void {
    const projects = this.held.get(laneOf[kind])
    const now = (projects?.get(projectId) ?? 0) + by
    if (now > 0) projects?.set(projectId, now)
    else projects?.delete(projectId)
  }

  /** Null when every lane is full. */
  room(): Room | null {
    const kinds: Array<CommandKind> = []
    const except: Array<Room["except"][number]> = []
    for (const lane of lanes) {
      const ofLane = this.kinds.filter((kind) => laneOf[kind] === lane)
      const projects = this.held.get(lane) ?? new Map<string | null, number>()
      const used = Array.from(projects.values()).reduce((sum, n) => sum + n, 0)
      if (ofLane.length === 0 || used >= 2 * this.perLane[lane]) continue
      kinds.push(...ofLane)
      if (used >= this.perLane[lane]) for (const projectId of projects.keys()) except.push({ projectId, kinds: ofLane })
    }
    if (kinds.length === 0) return null
    return { kinds, except, isEverything: kinds.length === this.kinds.length && except.length === 0 }
  }
}
