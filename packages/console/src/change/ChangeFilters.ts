/** Which Changes of a list are shown, and in which order: as the address says. */
import type { Change } from "./Records.ts"

/** Each as it stands in the address; empty for all. */
export interface Filters {
  readonly status: string
  readonly kind: string
  readonly risk: string
  readonly q: string
  /** `newest` opened, or `moved` last. */
  readonly order: "newest" | "moved"
}

/** Those of a Change that is not over. */
export const openStatuses: ReadonlyArray<Change["status"]> = [
  "created",
  "compiling",
  "running",
  "budget_blocked",
  "verifying",
  "awaiting_approval",
  "promoting",
  "releasing"
]

/** Those of one that is over. */
export const overStatuses: ReadonlyArray<Change["status"]> = ["completed", "failed", "cancelled"]

/** Groups of statuses that people ask for, beside each single one. */
const groups: Readonly<Record<string, ReadonlyArray<Change["status"]>>> = {
  open: openStatuses,
  over: overStatuses
}

const kinds: ReadonlyArray<Change["kind"]> = ["goal", "rollback"]
const tiers: ReadonlyArray<Change["riskTier"]> = ["low", "medium", "high", "unknown"]

/** The longest words that the server looks for. */
export const wordsMost = 200

/** What stands in the address, where it is one of what there is; else nothing. */
const oneOf = (search: URLSearchParams, name: string, all: ReadonlyArray<string>): string => {
  const value = search.get(name) ?? ""
  return all.includes(value) ? value : ""
}

/** What the address asks for. */
export const filtersIn = (search: URLSearchParams): Filters => ({
  status: oneOf(search, "status", [...Object.keys(groups), ...openStatuses, ...overStatuses]),
  kind: oneOf(search, "kind", kinds),
  risk: oneOf(search, "risk", tiers),
  q: search.get("q") ?? "",
  order: search.get("order") === "moved" ? "moved" : "newest"
})

/** Whether any Change may be left out. */
export const isFiltering = ({ kind, q, risk, status }: Filters): boolean =>
  status !== "" || kind !== "" || risk !== "" || q.trim() !== ""

/** What the server is asked for. The order is not among it: it knows none by the last move. */
export const queryOf = ({ kind, q, risk, status }: Filters) => {
  const words = q.trim().slice(0, wordsMost)
  return {
    ...(status === "" ? {} : { status: groups[status] ?? [status as Change["status"]] }),
    ...(kind === "" ? {} : { kind: kind as Change["kind"] }),
    ...(risk === "" ? {} : { riskTier: risk as Change["riskTier"] }),
    ...(words === "" ? {} : { q: words })
  }
}

/** In the order that is asked for. `changes` are the newest first. */
export const inOrder = (changes: ReadonlyArray<Change>, { order }: Pick<Filters, "order">): ReadonlyArray<Change> =>
  order === "newest"
    ? changes
    : changes.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0))
