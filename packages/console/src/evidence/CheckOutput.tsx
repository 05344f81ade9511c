/** What a check said, in the colours of its terminal. It is asked for when somebody opens it. */
import { type ReactNode, useMemo, useState } from "react"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Answered } from "../ui/Answered.tsx"
import { Outside } from "../ui/Outside.tsx"
import { ansiPieces } from "./Ansi.ts"
import { type Output, outputLink, outputOf } from "./Output.ts"

const Text = ({ label, output }: { readonly label: string; readonly output: Output }): ReactNode => {
  const pieces = useMemo(() => ansiPieces(output.text), [output])
  return pieces.length === 0 ? (
    <p className="evidence-note">It said nothing.</p>
  ) : (
    <pre className="code evidence-output" tabIndex={0} role="region" aria-label={label}>
      {pieces.map(({ look, text }, at) =>
        look === "" ? (
          text
        ) : (
          <span key={at} className={look}>
            {text}
          </span>
        )
      )}
    </pre>
  )
}

/** `keeps` is whether there is an output at all; `of` names the check and its try. */
export const CheckOutput = ({
  candidateId,
  evidenceId,
  of
}: {
  readonly candidateId: string
  readonly evidenceId: string
  readonly of: string
}): ReactNode => {
  const [isOpen, setOpen] = useState(false)
  const output = useAnswer(
    [...keys.ofCandidate(candidateId, "output"), evidenceId],
    (options) => outputOf(evidenceId, options),
    { enabled: isOpen }
  )
  return (
    <details className="evidence-details" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary data-row>
        Output<span className="hidden-text"> of {of}</span>
      </summary>
      {isOpen ? (
        <Answered query={output} lines={4}>
          {(found) => (
            <>
              <Text label={`Output of ${of}`} output={found} />
              <p className="evidence-note">
                {found.isWhole ? null : "Only the first 256 KiB are shown. "}
                <Outside to={outputLink(evidenceId)}>Raw output</Outside>
              </p>
            </>
          )}
        </Answered>
      ) : null}
    </details>
  )
}
