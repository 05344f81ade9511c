/** Makes one lock with @npmcli/arborist, of what anyone may have written: in a process of its own (`LockProcess`). */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import Arborist, { type PackumentCache } from "@npmcli/arborist"
import { type Lock, type Manifest, readLock, readManifest, Refusal } from "./LockInput.ts"
import type { LockAnswer, LockOrder } from "./LockMessages.ts"
import { type LockNames, lockText } from "./LockText.ts"
import { packumentsOf } from "./Packuments.ts"
import { RegistryAway, RegistryDocuments } from "./RegistryDocuments.ts"
import { whyRefused } from "./LockRefusals.ts"

/** Locks name the public registry, whichever is asked. */
const publicRegistry = "https://registry.npmjs.org/"

/** What packages may ask for as the Node and the npm that they run on: fixed, so that a lock is the same everywhere. */
const nodeVersion = "24.21.0"
const npmVersion = "11.6.0"

const nameOf = (key: string): string => decodeURIComponent(key.slice(key.lastIndexOf("/") + 1))

/** What chooses versions asks for documents here, and reaches nothing else. */
const cacheOf = (find: (name: string) => Promise<unknown>): PackumentCache => ({
  has: () => true,
  get: (key) => find(nameOf(key)),
  set: () => undefined,
  delete: () => undefined
})

const onlyLocked = (locks: ReadonlyArray<Lock>) => {
  const known = packumentsOf(locks.flatMap(({ entries }) => entries))
  return cacheOf((name) => {
    const found = known.get(name)
    return found === undefined
      ? Promise.reject(Object.assign(new Error(`no lock has ${name}`), { code: "E404", name404: name }))
      : Promise.resolve(found)
  })
}

const startingLock = (manifest: Manifest, { entries, root }: Lock): string =>
  JSON.stringify({
    ...(typeof manifest.fields["name"] === "string" ? { name: manifest.fields["name"] } : {}),
    lockfileVersion: 3,
    requires: true,
    packages: { "": root, ...Object.fromEntries(entries.map(({ fields, path }) => [path, fields])) }
  })

/** What is said of places in none of the locks before is not said in the one that comes of them. */
const namesIn = (locks: LockOrder["locks"]): LockNames =>
  locks.length === 0 || locks.some((lock) => Buffer.from(lock).includes('"resolved"')) ? "addresses" : "versions"

const make = async (order: LockOrder, say: (answer: LockAnswer) => void): Promise<LockAnswer> => {
  const manifest = readManifest(order.manifest)
  const locks = order.locks.map(readLock)
  const [first] = locks
  writeFileSync(join(order.folder, "package.json"), JSON.stringify(manifest.fields))
  if (first !== undefined) writeFileSync(join(order.folder, "package-lock.json"), startingLock(manifest, first))
  const registry = order.offline
    ? null
    : new RegistryDocuments(order.registry, (asking) => say({ _tag: "Asking", asking }))
  try {
    const arborist = new Arborist({
      path: order.folder,
      cache: join(order.folder, "cache"),
      registry: publicRegistry,
      packumentCache: registry === null ? onlyLocked(locks) : cacheOf((name) => registry.of(name)),
      lockfileVersion: 3,
      packageLockOnly: true,
      ignoreScripts: true,
      audit: false,
      nodeVersion,
      npmVersion,
      os: "linux",
      cpu: process.arch,
      libc: "glibc",
      allowGit: "none",
      allowRemote: "none",
      allowFile: "none",
      allowDirectory: "none"
    })
    const tree = await arborist.buildIdealTree()
    // What could be done without is left out of a lock; not because a registry was away.
    if (registry !== null && registry.failure !== null) throw registry.failure
    return { _tag: "Locked", text: lockText(manifest, first?.indent ?? "  ", namesIn(order.locks), tree.meta.toJSON()) }
  } catch (error) {
    throw registry?.failure ?? error
  }
}

/** What comes of an order. `say` is told on the way whether the registry is waited for. */
export const lockAnswer = (order: LockOrder, say: (answer: LockAnswer) => void): Promise<LockAnswer> =>
  make(order, say).catch((error: unknown): LockAnswer => {
    if (error instanceof Refusal) return { _tag: "Refused", problems: error.problems }
    if (error instanceof RegistryAway) return { _tag: "Unavailable", reason: error.message }
    return { _tag: "Refused", problems: whyRefused(error, order.offline) }
  })
