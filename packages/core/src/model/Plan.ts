/** A verification plan: the checks a Candidate must pass, read from the canonical base. */
import { Schema } from "effect"
import { RiskTier } from "./Change.ts"
import { Overlap } from "./Overlap.ts"
import { Timestamp } from "../primitives/Time.ts"

/** Built as an app, run as a shell line in the sandbox, compared as a tree, or its packages judged by the Policy. */
export const CheckKind = Schema.Literals(["build", "command", "tree-equals", "packages"])
export type CheckKind = typeof CheckKind.Type

/** Why a check's failure does not count, and until when. */
export const Waiver = Schema.Struct({
  /** Why, in the words of the admin who set it. */
  reason: Schema.String,
  /** From then on the check counts again. */
  until: Timestamp,
  /** Of a quarantine: the check was seen to fail and pass on one tree. */
  because: Schema.optionalKey(Schema.Literal("flaky"))
})
export interface Waiver extends Schema.Schema.Type<typeof Waiver> {}

/** What it takes to ask an old promise again: the base's form of the files that a Candidate alters or deletes. */
export const BaseForm = Schema.Struct({
  /** The check whose base's form it is. */
  check: Schema.String,
  /** Globs that the files fit. */
  globs: Schema.Array(Schema.String),
  /** The first of the files, at most `Limits.baseFilesNamed`. */
  paths: Schema.Array(Schema.String),
  /** How many files there are in all. */
  count: Schema.Finite,
  /** The package.json scripts that the check runs in the base, where the Candidate has others. */
  scripts: Schema.optionalKey(Schema.Array(Schema.Struct({ name: Schema.String, command: Schema.String })))
})
export interface BaseForm extends Schema.Schema.Type<typeof BaseForm> {}

/** One check of a plan (decisions, "Records", Plan). */
export const Check = Schema.Struct({
  /** `[a-z0-9-]{1,64}`, unique in the plan; with `@base` behind it, the same check with the base's form of its files. */
  id: Schema.String,
  /** How it is run. */
  kind: CheckKind,
  /** One line, for people. */
  title: Schema.String,
  /** A shell line, run in the root of the composed tree. Only for kind `command`. */
  command: Schema.optionalKey(Schema.String),
  /** The tree that the composed tree must equal. Only for kind `tree-equals`. */
  tree: Schema.optionalKey(Schema.String),
  /** Whether the gate needs it. A waiver that is in force lifts that until its date. */
  required: Schema.Boolean,
  /** How long its whole run may take, in milliseconds. */
  timeoutMs: Schema.Finite,
  /** The Policy's waiver under which a failure does not count. */
  waived: Schema.optionalKey(Waiver),
  /** Of a check with `@base`: what it takes from the base. */
  base: Schema.optionalKey(BaseForm),
  /** Globs of the only files that it sees. Not there where it sees the whole tree. */
  inputs: Schema.optionalKey(Schema.Array(Schema.String))
})
export interface Check extends Schema.Schema.Type<typeof Check> {}

/** What is to be said of a package that a Candidate adds or moves, from the gravest on. */
export const PackageConcern = Schema.Literals([
  /** The Policy's `deny` names it. */
  "denied",
  /** The Policy's `allow` does not name it. */
  "not_allowed",
  /** Its version is younger than the Policy's `minAgeDays`. */
  "too_young",
  /** The Policy asks for an age, and the registry did not say it in time. */
  "age_unknown",
  /** It asks for scripts when it is installed. None ever runs: it may not do what it should. */
  "install_script",
  /** Neither its lock nor, in time, the registry said whether it asks for scripts. */
  "scripts_unknown",
  /** package.json asks for it, and the base's does not. */
  "new_direct"
])
export type PackageConcern = typeof PackageConcern.Type

/** A package that raised the risk, or that the Policy refuses. */
export const ConcernedPackage = Schema.Struct({
  concern: PackageConcern,
  name: Schema.String,
  /** Null where no lock file tells one: it is vendored, or package.json alone names it. */
  version: Schema.NullOr(Schema.String),
  /** Of one that is too young: the age in whole days that was judged. */
  ageDays: Schema.optionalKey(Schema.Finite),
  /** Where it is named; null for no file. */
  file: Schema.NullOr(Schema.String),
  line: Schema.NullOr(Schema.Finite)
})
export interface ConcernedPackage extends Schema.Schema.Type<typeof ConcernedPackage> {}

/** What was judged of a Candidate's packages when its plan was made. */
export const PlannedPackages = Schema.Struct({
  /** The gravest first, at most `Limits.packagesNamed`. */
  concerns: Schema.Array(ConcernedPackage),
  /** How many there are in all. */
  count: Schema.Finite
})
export interface PlannedPackages extends Schema.Schema.Type<typeof PlannedPackages> {}

/** What a Candidate is verified by, settled when its verification begins. */
export const Plan = Schema.Struct({
  /** The Policy that it was made under; promotion refuses another one. */
  policyVersion: Schema.Finite,
  /** What the composed tree may break; higher once the checks have shown more. */
  riskTier: RiskTier,
  /** Whether people must approve. */
  approvalRequired: Schema.Boolean,
  /** The build first, then those of the source, those that only the Policy asks for, and those with `@base`. */
  checks: Schema.Array(Check),
  /** How often a command that failed runs once more on the same tree. Not there for never. */
  flakeRetries: Schema.optionalKey(Schema.Literal(1)),
  /** What others write too, as far as it was known before it was composed. Not there in plans of earlier versions. */
  overlaps: Schema.optionalKey(Schema.Array(Overlap)),
  /** What was judged of its packages; not there when there is nothing to say of them. */
  packages: Schema.optionalKey(PlannedPackages),
  /** Which evidence of before may count; not there where none may. */
  reuse: Schema.optionalKey(Schema.Literals(["tree", "inputs"]))
})
export interface Plan extends Schema.Schema.Type<typeof Plan> {}
