/** Which isolation this machine offers: the best that proves itself, or why there is none and what would mend it. */
import { Guarantee, type Isolation } from "@pawl/core/verification/Sandbox"
import { Effect } from "effect"
import { type Findings, prove } from "./Battery.ts"
import { findBubblewrap, remedy as installBubblewrap } from "./BubblewrapSandbox.ts"
import type { Isolator, Lacking } from "./Isolator.ts"
import type { Starter } from "../spawner/Starter.ts"
import { makeSupervisor, type Supervisor } from "./Supervisor.ts"
import { findToolchain, toolsDigest } from "./Toolchain.ts"
import { findUnshare } from "./UnshareSandbox.ts"

/** What a host may narrow down. It cannot make an isolation trusted that fails its proof. */
export interface IsolationChoice {
  /** Only this one; `none` as if the machine had none. Default: bubblewrap, else unshare. */
  readonly force?: "bubblewrap" | "unshare" | "none"
  /** False: the supervisor watches by itself, as it does where cgroups cannot be written. Default: true. */
  readonly cgroups?: boolean
  /** A folder of packages that checks see as `/node_modules`, read-only. */
  readonly nodeModules?: string
  /** The folder of the layers of packages: a job's `packages` is `<packageLayers>/<id>/node_modules`. Default: there are none. */
  readonly packageLayers?: string
  /** How processes of jobs are started. Default: this process forks. */
  readonly start?: Starter
}

/** An isolation that holds, with its supervisor, which the caller closes, and what was found of each guarantee. */
export interface Chosen {
  readonly supervisor: Supervisor
  readonly isolation: Isolation
  readonly findings: Findings
}

/** Why no isolation holds, and what would mend it, as text for people. */
export interface NoneChosen {
  readonly reason: string
  readonly remedy: string
}

/** Without these, code that nobody has read must not run at all. */
const indispensable: ReadonlyArray<Guarantee> = ["network-denied", "host-files-hidden", "daemons-killed"]

const namespaceRemedy =
  "run as root, or allow user namespaces: sysctl -w kernel.unprivileged_userns_clone=1 user.max_user_namespaces=10000 " +
  "kernel.apparmor_restrict_unprivileged_userns=0 (those that the kernel has)"

const candidates = (force: IsolationChoice["force"]): ReadonlyArray<Isolator | Lacking> => {
  if (process.platform !== "linux") {
    return [{ name: process.platform, reason: "isolation needs Linux", remedy: "run Pawl on Linux" }]
  }
  switch (force) {
    case "bubblewrap":
      return [findBubblewrap()]
    case "unshare":
      return [findUnshare()]
    case "none":
      return [{ name: "none", reason: "isolation is switched off", remedy: installBubblewrap }]
    default:
      return [findBubblewrap(), findUnshare()]
  }
}

const tryIsolator = async (isolator: Isolator, choice: IsolationChoice): Promise<Chosen | Lacking> => {
  const { name, version } = isolator
  let supervisor: Supervisor | null = null
  const lacking = (reason: string): Lacking => {
    supervisor?.close()
    return { name, reason, remedy: process.getuid?.() === 0 ? installBubblewrap : namespaceRemedy }
  }
  try {
    const toolchain = findToolchain(choice.nodeModules ?? null)
    supervisor = makeSupervisor(isolator, toolchain, choice)
    const findings = await prove(supervisor)
    const fatal = indispensable.filter((guarantee) => findings[guarantee] !== null)
    if (fatal.length > 0) return lacking(fatal.map((guarantee) => `${guarantee}: ${findings[guarantee]}`).join("; "))
    const guarantees = Guarantee.literals.filter((guarantee) => findings[guarantee] === null).sort()
    const tools = toolsDigest(toolchain)
    const isolation = { name, version, guarantees, ...(tools === undefined ? {} : { tools }) }
    return { supervisor, isolation, findings }
  } catch (cause) {
    return lacking(cause instanceof Error ? cause.message : String(cause))
  }
}

/** Proves the candidates in order and answers the first that holds. The caller closes the supervisor. */
export const chooseIsolation = async (choice: IsolationChoice): Promise<Chosen | NoneChosen> => {
  const lacking: Array<Lacking> = []
  for (const candidate of candidates(choice.force)) {
    const tried = "reason" in candidate ? candidate : await tryIsolator(candidate, choice)
    if ("supervisor" in tried) return tried
    lacking.push(tried)
  }
  return {
    reason: lacking.map(({ name, reason }) => `${name}: ${reason}`).join("; "),
    remedy: [...new Set(lacking.map(({ remedy }) => remedy))].join("; or ")
  }
}

/** What the isolation in force guarantees, and why each other guarantee is missing. */
export interface IsolationReport {
  readonly name: string
  readonly version: string
  readonly guarantees: ReadonlyArray<Guarantee>
  readonly missing: ReadonlyArray<{ readonly guarantee: Guarantee; readonly reason: string; readonly remedy: string }>
}

const limitRemedy = "let Pawl write its cgroup (systemd: Delegate=yes, or run as root)"

/** For `pawl doctor`: proves the isolation anew and says what is in force, what is missing, and what would mend it. */
export const describeIsolation = (choice: IsolationChoice = {}): Effect.Effect<IsolationReport> =>
  Effect.promise(async () => {
    const chosen = await chooseIsolation(choice)
    if (!("supervisor" in chosen)) {
      const missing = Guarantee.literals.map((guarantee) => ({ guarantee, ...chosen }))
      return { name: "none", version: "", guarantees: [], missing }
    }
    chosen.supervisor.close()
    const missing = Guarantee.literals.flatMap((guarantee) => {
      const reason = chosen.findings[guarantee]
      const remedy = guarantee.endsWith("-limited") ? limitRemedy : installBubblewrap
      return reason === null ? [] : [{ guarantee, reason, remedy }]
    })
    const { guarantees, name, version } = chosen.isolation
    return { name, version, guarantees, missing }
  }).pipe(Effect.uninterruptible)
