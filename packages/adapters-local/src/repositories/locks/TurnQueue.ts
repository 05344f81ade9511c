/**
 * The order in which processes get a lock. Whoever must wait draws a ticket: a file with a number, locked for as long as
 * its process lives. The lowest ticket goes next; one whose process died is thrown away by whoever finds it. The order is
 * all that tickets say: the lock itself keeps the others out.
 */
import { randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type FileLock, takeExclusive, takeShared } from "../../sqlite/FileLock.ts"

/** Tickets of the queue at `folder`, the next one first. */
const ticketsIn = (folder: string): ReadonlyArray<string> =>
  existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => /^\d{12}-[0-9a-f]{16}$/.test(name))
        .sort()
    : []

interface Ticket {
  readonly name: string
  readonly lock: FileLock
}

const draw = (folder: string): Ticket => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  for (;;) {
    const last = Number(ticketsIn(folder).at(-1)?.slice(0, 12) ?? 0)
    const name = `${String(last + 1).padStart(12, "0")}-${randomBytes(8).toString("hex")}`
    const lock = takeExclusive(join(folder, name))
    // Another process may have taken a ticket that is not locked yet for one of the dead, and thrown it away.
    if (lock !== null && existsSync(join(folder, name))) return { name, lock }
    lock?.close()
  }
}

/** Throws a ticket away when nobody holds it. */
const isDead = (path: string): boolean => {
  const lock = takeExclusive(path)
  if (lock === null) return false
  rmSync(path, { force: true })
  lock.close()
  return true
}

const turnOf = (path: string): string => (existsSync(`${path}.turn`) ? readFileSync(`${path}.turn`, "utf8") : "")

/** One that waits for the lock of a file. All of it is synchronous, and throws what the file system says. */
export class Waiter {
  readonly #path: string
  readonly #folder: string
  readonly #patienceMs: number
  #probedAt: number
  #ticket: Ticket | null = null
  #lock: FileLock | null = null
  /** Who is next, and who had the lock last: as long as both are the same, nothing has moved. */
  #sight = ""
  #movedAt: number
  /** Since when the lock is free and the next one does not take it; null while somebody holds it. */
  #freeSince: number | null = null

  /** `patienceMs`: how long the next one may leave a free lock alone before it is passed over: its process stands still. */
  constructor(path: string, patienceMs: number, now: number) {
    this.#path = path
    this.#folder = `${path}.queue`
    this.#patienceMs = patienceMs
    this.#movedAt = now
    this.#probedAt = now
  }

  /** Since when nothing has moved: nobody got the lock, and the next one is the same. */
  get stillSince(): number {
    return this.#movedAt
  }

  /** Takes the lock when it is this one's turn and the lock is free, and answers whether it holds it. */
  look(now: number): boolean {
    const mine = this.#ticket?.name
    const probes = now - this.#probedAt >= this.#patienceMs / 20
    if (probes) this.#probedAt = now
    const next = this.#next(mine, probes)
    const sight = `${next ?? ""}\n${turnOf(this.#path)}`
    if (sight !== this.#sight) [this.#sight, this.#movedAt, this.#freeSince] = [sight, now, null]
    if (next === undefined || next === mine || (probes && this.#passesOver(now))) {
      const lock = takeExclusive(this.#path)
      if (lock !== null) {
        this.#lock = lock
        writeFileSync(`${this.#path}.turn`, randomBytes(8).toString("hex"))
        this.#leaveQueue()
        return true
      }
    }
    if (this.#ticket === null || !existsSync(join(this.#folder, this.#ticket.name))) {
      this.#leaveQueue()
      this.#ticket = draw(this.#folder)
    }
    return false
  }

  /** Gives up the lock, or the waiting for it. */
  close(): void {
    this.#lock?.close()
    this.#lock = null
    this.#leaveQueue()
  }

  #leaveQueue(): void {
    if (this.#ticket === null) return
    rmSync(join(this.#folder, this.#ticket.name), { force: true })
    this.#ticket.lock.close()
    this.#ticket = null
  }

  /** The first ticket. To see whether somebody holds it costs more than to look. */
  #next(mine: string | undefined, probes: boolean): string | undefined {
    const tickets = ticketsIn(this.#folder)
    return probes ? tickets.find((name) => name === mine || !isDead(join(this.#folder, name))) : tickets[0]
  }

  #passesOver(now: number): boolean {
    if (now - this.#movedAt < this.#patienceMs) return false
    const probe = takeShared(this.#path)
    probe?.close()
    this.#freeSince = probe === null ? null : (this.#freeSince ?? now)
    return this.#freeSince !== null && now - this.#freeSince >= this.#patienceMs
  }
}
