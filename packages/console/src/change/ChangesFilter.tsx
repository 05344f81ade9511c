/** The row of filters above the Changes. The address keeps them: it can be sent to somebody. */
import type { ReactNode } from "react"
import { useSearchParams } from "wouter"
import { SelectField, TextField } from "../ui/Field.tsx"
import { lookOf } from "../ui/StatusTone.ts"
import { type Filters, filtersIn, openStatuses, overStatuses, wordsMost } from "./ChangeFilters.ts"

const statuses = [...openStatuses, ...overStatuses]

/** They count at once. */
export const ChangesFilter = (): ReactNode => {
  const [search, setSearch] = useSearchParams()
  const filters = filtersIn(search)
  const set = (name: keyof Filters, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before)
        if (value === "" || value === "newest") next.delete(name)
        else next.set(name, value)
        return next
      },
      { replace: true }
    )
  const select = (
    name: Exclude<keyof Filters, "q">,
    label: string,
    options: ReadonlyArray<readonly [string, string]>
  ) => (
    <SelectField label={label} value={filters[name]} onChange={({ target }) => set(name, target.value)}>
      {options.map(([value, words]) => (
        <option key={value} value={value}>
          {words}
        </option>
      ))}
    </SelectField>
  )
  return (
    <search className="filters">
      <TextField
        label="Search"
        type="search"
        data-search
        placeholder="Words of the goal, or an id"
        maxLength={wordsMost}
        value={filters.q}
        onChange={({ target }) => set("q", target.value)}
      />
      {select("status", "Status", [
        ["", "All"],
        ["open", "Not over"],
        ["over", "Over"],
        ...statuses.map((status) => [status, lookOf(status).words] as const)
      ])}
      {select("risk", "Risk", [
        ["", "All"],
        ...["low", "medium", "high", "unknown"].map((tier) => [tier, tier] as const)
      ])}
      {select("kind", "Kind", [
        ["", "All"],
        ["goal", "Goals"],
        ["rollback", "Rollbacks"]
      ])}
      {select("order", "Order", [
        ["newest", "Newest first"],
        ["moved", "Moved last"]
      ])}
    </search>
  )
}
