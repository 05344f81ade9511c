/** What one try of a check showed: whether it passes, fails, or could not be told. */
import type { BuilderUnavailable } from "../bundle/AppBuilder.ts"
import type { EvidenceResult, EvidenceStatus, GapCode, Runner } from "../model/Evidence.ts"
import { utf8 } from "../primitives/Digest.ts"
import { Limits } from "../primitives/Limits.ts"
import type { PackagesUnavailable } from "../packages/PackageStore.ts"
import type { SandboxUnavailable } from "./Sandbox.ts"

/** What one try of a check showed. */
export interface Finding {
  readonly status: EvidenceStatus
  readonly result: EvidenceResult
  /** One or a few lines for a person. */
  readonly summary: string
  /** Of a gap. */
  readonly gap?: GapCode
  /** The whole of what it said, or the bundle.json of a build. */
  readonly output: Uint8Array
  readonly runner: Runner
  /** Of what ran it; not there where that cannot be told. */
  readonly runnerDigest?: string
  /** Of a build: SHA-256 of its bundle.json. */
  readonly bundleDigest?: string
  /** Of a build: SHA-256 of the list of packages that it stored. */
  readonly sbom?: string
  /** Changed files that the bundle holds as modules, where that decides the risk. */
  readonly inputs?: ReadonlyArray<string>
  /** Whether another try in a new sandbox could show more. */
  readonly worthAnotherTry: boolean
  /** What should have run it is away: the check showed nothing, and waits. */
  readonly away?: BuilderUnavailable | SandboxUnavailable | PackagesUnavailable
}

/** Of what was not run. */
export const unrun = { isolation: "none", version: "", guarantees: [] }

/** A check that could not be told. `final`: another try shows no more. */
export const gap = (
  code: GapCode,
  summary: string,
  runner: Runner,
  options?: { readonly output?: Uint8Array; readonly final?: boolean }
): Finding => ({
  status: "not_checked",
  result: "gap",
  gap: code,
  summary,
  output: options?.output ?? utf8(`${summary}\n`),
  runner,
  worthAnotherTry: options?.final !== true
})

/** As long as the summary of an evidence row may be. */
export const shortened = (text: string): string =>
  text.length > Limits.checkSummaryLength ? `${text.slice(0, Limits.checkSummaryLength)} …` : text
