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
const groups: Readonly<Record<string, ReadonlyArray<string>>> = {
  open: openStatuses,
  over: overStatuses
}

/** What the address asks for. */
export const filtersIn = (search: URLSearchParams): Filters => ({
  status: search.get("status") ?? "",
  kind: search.get("kind") ?? "",
  risk: search.get("risk") ?? "",
  q: search.get("q") ?? "",
  order: search.get("order") === "moved" ? "moved" : "newest"
})

/** Whether any Change may be left out. */
export const isFiltering = ({ kind, q, risk, status }: Filters): boolean =>
  status !== "" || kind !== "" || risk !== "" || q.trim() !== ""

const fits = (change: Change, { kind, q, risk, status }: Filters): boolean =>
  (status === "" || (groups[status] ?? [status]).includes(change.status)) &&
  (kind === "" || change.kind === kind) &&
  (risk === "" || change.riskTier === risk) &&
  `${change.goal} ${change.id}`.toLowerCase().includes(q.trim().toLowerCase())

/** Those that fit. `changes` are the newest first. */
export const filtered = (changes: ReadonlyArray<Change>, filters: Filters): ReadonlyArray<Change> => {
  const fitting = changes.filter((change) => fits(change, filters))
  return filters.order === "newest"
    ? fitting
    : fitting.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : a.updatedAt > b.updatedAt ? -1 : 0))
}
