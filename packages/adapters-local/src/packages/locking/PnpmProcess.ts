/** The process that has pnpm make one lock: it takes one order, and is killed after its answer with all that it began. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { pnpmLockFile } from "@pawl/core/packages/LockFiles"
import { readManifest, Refusal } from "./LockInput.ts"
import type { LockAnswer, LockOrder } from "./LockMessages.ts"
import { type Fields, isFields, own, pnpmFields } from "./PackageFields.ts"
import { documentsOf } from "./PnpmDocuments.ts"
import { type PnpmLockInput, pnpmKinds, pnpmSettings, readPnpmInput } from "./PnpmInput.ts"
import { mergedLocks } from "./PnpmMerge.ts"
import { whyPnpmRefused } from "./PnpmRefusals.ts"
import { openPnpmRegistry, type PnpmRegistry } from "./PnpmRegistry.ts"
import { runPnpm } from "./PnpmRun.ts"
import { pnpmText } from "./PnpmText.ts"
import { RegistryDocuments } from "./RegistryDocuments.ts"

const say = (answer: LockAnswer): void => {
  process.send?.(answer)
}

/** The lock that pnpm begins with: JSON is YAML too. */
const startingLock = (lock: PnpmLockInput, { url }: PnpmRegistry): string => {
  const packages = Object.entries(lock.packages).map(([key, fields]) => {
    const resolution = own(fields, "resolution")
    const hasAddress = isFields(resolution) && Object.hasOwn(resolution, "tarball")
    return [key, hasAddress ? { ...fields, resolution: addressed(key, resolution, url) } : fields] as const
  })
  const direct = pnpmKinds.filter((kind) => Object.keys(lock.direct[kind] ?? {}).length > 0)
  return JSON.stringify({
    lockfileVersion: "9.0",
    ...lock.about,
    importers: { ".": Object.fromEntries(direct.map((kind) => [kind, lock.direct[kind]])) },
    packages: Object.fromEntries(packages),
    snapshots: lock.snapshots
  })
}

const addressed = (key: string, resolution: Fields, url: string): Fields => {
  const at = key.indexOf("@", 1)
  const name = key.slice(0, at)
  return { ...resolution, tarball: `${url}${name}/-/${name.slice(name.indexOf("/") + 1)}-${key.slice(at + 1)}.tgz` }
}

/** Settings that a lock says it was made with, as pnpm is told them. */
const settingNames: Readonly<Record<string, string>> = {
  autoInstallPeers: "auto-install-peers",
  excludeLinksFromLockfile: "exclude-links-from-lockfile",
  injectWorkspacePackages: "inject-workspace-packages",
  peersSuffixMaxLength: "peers-suffix-max-length",
  dedupePeers: "dedupe-peers"
}

const settingsOf = (lock: PnpmLockInput | null): Fields => {
  const settings = lock?.about["settings"]
  const known = Object.entries(settingNames).flatMap(([name, setting]) => {
    const value = isFields(settings) ? own(settings, name) : undefined
    return value === undefined ? [] : [[setting, value] as const]
  })
  return { ...Object.fromEntries(known), "lockfile-include-tarball-url": lock?.hasAddresses === true }
}

const ofManifest = [...pnpmKinds, "peerDependencies", "peerDependenciesMeta"]

const make = async (order: LockOrder): Promise<LockAnswer> => {
  const { fields } = readManifest(order.manifest)
  const settings = pnpmSettings(order.manifest, order.workspace)
  const lock = mergedLocks(order.locks.map(readPnpmInput), fields)
  const known = order.offline && lock !== null ? documentsOf(lock) : new Map<string, never>()
  const documents = order.offline
    ? null
    : new RegistryDocuments(order.registry, (asking) => say({ _tag: "Asking", asking }), pnpmFields)
  const find = (name: string) => {
    const found = known.get(name)
    if (documents !== null) return documents.of(name)
    return found === undefined
      ? Promise.reject(Object.assign(new Error(`no lock has ${name}`), { code: "E404" }))
      : Promise.resolve(found)
  }
  const registry = await openPnpmRegistry(find)
  const project = join(order.folder, "project")
  mkdirSync(project)
  const asked = Object.fromEntries(
    ofManifest.flatMap((name) => (Object.hasOwn(fields, name) ? [[name, fields[name]]] : []))
  )
  writeFileSync(join(project, "package.json"), JSON.stringify({ ...asked, pnpm: settings }))
  if (lock !== null) writeFileSync(join(project, pnpmLockFile), startingLock(lock, registry))
  const { error, signal } = await runPnpm(order.folder, registry, settingsOf(lock))
  // What could be done without is left out of a lock; not because a registry was away.
  if (documents !== null && documents.failure !== null) throw documents.failure
  if (signal !== null) return { _tag: "TooMuch" }
  if (error !== null) return { _tag: "Refused", problems: whyPnpmRefused(error, registry.url, order.offline) }
  const made = readFileSync(join(project, pnpmLockFile), "utf8")
  return { _tag: "Locked", text: pnpmText(made, registry.url, order.offline ? lock : null) }
}

const answered = (order: LockOrder): Promise<LockAnswer> =>
  make(order).catch((error: unknown): LockAnswer => {
    if (error instanceof Refusal) return { _tag: "Refused", problems: error.problems }
    return { _tag: "Unavailable", reason: error instanceof Error ? error.message : "what makes locks failed" }
  })

// pnpm is of this process's group, and goes with it.
process.once("disconnect", () => process.kill(-process.pid, "SIGKILL"))
process.once("message", (order: LockOrder) => {
  if (order.certificates !== "") setDefaultCACertificates([...getCACertificates("default"), order.certificates])
  void answered(order).then(say)
})
