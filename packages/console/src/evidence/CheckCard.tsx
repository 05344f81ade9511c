/** One check of a Candidate: its verdict, and each try with what ran it. */
import type { ReactNode } from "react"
import { Facts } from "../ui/Facts.tsx"
import { Icon } from "../ui/Icon.tsx"
import { Id } from "../ui/Id.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { CheckOutput } from "./CheckOutput.tsx"
import { type CheckState, type Evidence, tookWords, type Verdict } from "./Checks.ts"

const looks = {
  pass: { tone: "good", icon: "check", words: "Passed" },
  fail: { tone: "bad", icon: "cross", words: "Failed" },
  gap: { tone: "warn", icon: "warn", words: "Could not run" },
  running: { tone: "run", icon: "run", words: "Running" },
  owed: { tone: "idle", icon: "clock", words: "To come" },
  ended: { tone: "idle", icon: "dot", words: "Never ran" }
} as const

const VerdictMark = ({ of }: { readonly of: Verdict }): ReactNode => {
  const { icon, tone, words } = looks[of]
  return (
    <span className="status" data-tone={tone}>
      <Icon name={icon} />
      {words}
    </span>
  )
}

/** Of another Candidate, on exactly the same files: nothing was run for this one. */
const Reused = ({ evidence }: { readonly evidence: Evidence }): ReactNode =>
  evidence.reuses === undefined ? null : (
    <>
      Repeats <Id id={evidence.reuses} label="evidence" />: what it saw is the same, so nothing was run again.
    </>
  )

const Guarantees = ({ of }: { readonly of: ReadonlyArray<string> }): ReactNode => (
  <details className="evidence-details">
    <summary>{of.length} in force</summary>
    {of.map((name) => name.replaceAll("-", " ")).join(", ")}
  </details>
)

const Try = ({
  candidateId,
  check,
  evidence
}: {
  readonly candidateId: string
  readonly check: CheckState
  readonly evidence: Evidence
}): ReactNode => {
  const { isolation, version } = evidence.runner
  const several = check.tries.length > 1
  return (
    <div className="evidence-try">
      {several ? (
        <p className="evidence-attempt">
          <strong>Attempt {evidence.attempt}</strong> <VerdictMark of={evidence.result} />
          {evidence.retryOf === undefined ? null : "the retry of a failure, on the same tree"}
        </p>
      ) : null}
      <p className="evidence-summary">{evidence.summary}</p>
      <Facts
        of={{
          Took: (
            <>
              {tookWords(evidence)}, <Time at={evidence.finishedAt} />
            </>
          ),
          Isolation: isolation === "none" ? "none: nothing ran" : `${isolation} ${version}`.trim(),
          Guarantees: evidence.runner.guarantees.length === 0 ? null : <Guarantees of={evidence.runner.guarantees} />,
          Reused: evidence.reuses === undefined ? null : <Reused evidence={evidence} />,
          "Output digest": evidence.outputDigest === null ? null : <Id id={evidence.outputDigest} label="digest" />
        }}
      />
      {evidence.outputKey === null ? (
        <p className="evidence-note">There is no output.</p>
      ) : (
        <CheckOutput
          candidateId={candidateId}
          evidenceId={evidence.id}
          of={several ? `${check.id}, attempt ${evidence.attempt}` : check.id}
        />
      )}
    </div>
  )
}

const Marks = ({ check }: { readonly check: CheckState }): ReactNode => (
  <>
    {check.planned === null ? null : <Tag>{check.planned.required ? "Required" : "Optional"}</Tag>}
    {check.isFlaky ? <Tag tone="warn">Flaky</Tag> : null}
    {check.waiver === undefined ? null : <Tag tone="warn">Waived</Tag>}
    {check.tries.some(({ reuses }) => reuses !== undefined) ? <Tag>Reused</Tag> : null}
  </>
)

/** The newest try first. */
export const CheckCard = ({
  candidateId,
  check
}: {
  readonly candidateId: string
  readonly check: CheckState
}): ReactNode => (
  <section className="card" aria-label={`Check ${check.id}`}>
    <div className="card-head evidence-head">
      <h2>
        <code>{check.id}</code>
        {check.title === check.id ? null : <small>{check.title}</small>}
      </h2>
      <span className="evidence-marks">
        <Marks check={check} />
        <VerdictMark of={check.verdict} />
      </span>
    </div>
    <div className="card-body evidence-body">
      {check.planned?.command === undefined ? null : <code className="evidence-command">{check.planned.command}</code>}
      {check.waiver === undefined ? null : (
        <p>
          A failure does not count until <Time at={check.waiver.until} />: {check.waiver.reason}
        </p>
      )}
      {check.isFlaky ? <p>It failed and passed on one tree: do not trust either verdict much.</p> : null}
      {check.verdict === "gap" ? (
        <p>It came to no verdict, which never counts as a pass. What stood in its way:</p>
      ) : null}
      {check.since === null ? null : (
        <p className="evidence-note">
          It was taken up <Time at={check.since} />. It may still wait for a sandbox.
        </p>
      )}
      {check.tries.toReversed().map((evidence) => (
        <Try key={evidence.id} candidateId={candidateId} check={check} evidence={evidence} />
      ))}
      {check.tries.length > 0 || check.since !== null ? null : (
        <p className="evidence-note">
          {check.verdict === "owed" ? "It has not begun." : "The Candidate ended before this check had run."}
        </p>
      )}
    </div>
  </section>
)
