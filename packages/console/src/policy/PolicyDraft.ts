/** A Policy while somebody changes it: what differs, and what becomes of it when somebody else was quicker. Pure. */
import type { Answer } from "../api/Wire.ts"

/** The Policy in force, as it is answered. */
export type Policy = Answer<"policies", "get">["policy"]

/** What of it somebody may change. */
export type PolicyFields = Omit<Policy, "projectId" | "version" | "updatedAt" | "updatedBy">

/** The name of one field. */
export type FieldName = keyof PolicyFields

/** Each field, and its name for people. */
export const fieldWords: Readonly<Record<FieldName, string>> = {
  approvalRiskTiers: "Risks that need an approval",
  approvalsRequired: "Approvals owed",
  allowSelfApproval: "Approving one's own",
  approvalsSigned: "Approvals signed by a passkey",
  autoPromoteRiskTiers: "Risks that go out by themselves",
  requiredChecks: "Checks required in any case",
  baseChecksMustPass: "Checks as they were before",
  flakeRetries: "A second run after a failure",
  evidenceReuse: "Evidence of before",
  waivedChecks: "Checks that do not count for a while",
  outsideAgents: "Agents that people bring",
  packages: "Packages",
  lane: "Lane",
  freezes: "Freezes"
}

/** The fields of a Policy, without what the server sets. */
export const fieldsOf = (policy: Policy): PolicyFields => {
  const { projectId: _project, updatedAt: _at, updatedBy: _by, version: _version, ...fields } = policy
  return fields
}

const olderWords: Readonly<Record<string, boolean>> = { also: true, never: false }

/** The same in the words of answers, where the API takes others for them. */
export const inWords = (fields: PolicyFields): PolicyFields => ({
  ...fields,
  outsideAgents: olderWords[String(fields.outsideAgents)] ?? fields.outsideAgents
})

const ordered = (_: string, value: unknown): unknown =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
    : value

/** Whether two values say the same, whatever the order of their keys. */
const same = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null, ordered) === JSON.stringify(other ?? null, ordered)

/** The fields that differ, in the order of the form. */
export const changedFields = (one: PolicyFields, other: PolicyFields): ReadonlyArray<FieldName> =>
  (Object.keys(fieldWords) as ReadonlyArray<FieldName>).filter((name) => !same(one[name], other[name]))

/** One field of a newer Policy is as mine: where I leave it out, it is left out. */
const withMine = (fields: PolicyFields, mine: PolicyFields, name: FieldName): PolicyFields => {
  const { [name]: _theirs, ...others } = fields
  return { ...others, ...(mine[name] === undefined ? {} : { [name]: mine[name] }) } as PolicyFields
}

/** What I changed, on top of what somebody else stored meanwhile; `both` are the fields that each of us changed otherwise. */
export const onTopOf = (
  base: PolicyFields,
  mine: PolicyFields,
  theirs: PolicyFields
): { readonly fields: PolicyFields; readonly both: ReadonlyArray<FieldName> } => {
  const ours = changedFields(base, mine)
  const changedByThem = new Set(changedFields(base, theirs))
  return {
    fields: ours.reduce((fields, name) => withMine(fields, mine, name), theirs),
    both: ours.filter((name) => changedByThem.has(name) && !same(mine[name], theirs[name]))
  }
}

/** Names that somebody wrote, one a line; commas will do. */
export const namesIn = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\s,]+/)
      .map((name) => name.trim())
      .filter((name) => name !== "")
  )
]

/** A moment as a field of the browser has it, in UTC, and back; what is no moment yet is empty. */
export const toField = (moment: string): string => (moment === "" ? "" : moment.slice(0, 16))
/** ISO 8601 of what such a field holds. */
export const fromField = (value: string): string => (value === "" ? "" : `${value.slice(0, 16)}:00.000Z`)
