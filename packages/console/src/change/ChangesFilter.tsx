/** The row of filters above the Changes. The address keeps them: it can be sent to somebody. */
import { type ReactNode, useEffect, useState } from "react"
import { useSearchParams } from "wouter"
import { SelectField, TextField } from "../ui/Field.tsx"
import { lookOf } from "../ui/StatusTone.ts"
import { type Filters, filtersIn, openStatuses, overStatuses, wordsMost } from "./ChangeFilters.ts"

const statuses = [...openStatuses, ...overStatuses]

/** How long words must stand as they are until they count, in ms. */
const typingMs = 250

/** The address, and with it the list, is told of words when no more are typed: each key is answered by the field alone. */
const SearchField = ({ q, search }: { readonly q: string; readonly search: (q: string) => void }): ReactNode => {
  /** Null where the address has what the field has. */
  const [typed, setTyped] = useState<string | null>(null)
  useEffect(() => {
    if (typed === null) return undefined
    const timer = setTimeout(() => {
      search(typed)
      setTyped(null)
    }, typingMs)
    return () => clearTimeout(timer)
  }, [search, typed])
  return (
    <TextField
      label="Search"
      type="search"
      data-search
      placeholder="Words of the goal, or an id"
      maxLength={wordsMost}
      value={typed ?? q}
      onChange={({ target }) => setTyped(target.value)}
    />
  )
}

/** What is chosen counts at once. */
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
      <SearchField q={filters.q} search={(q) => set("q", q)} />
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
