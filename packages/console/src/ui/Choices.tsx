/** Some of a few: a box for each. */
import { type ReactNode, useId } from "react"

/** Of each value, and what it means in words; those of `chosen` are ticked. */
export const Choices = <Value extends string>({
  chosen,
  hint,
  label,
  of,
  onChange
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly of: ReadonlyArray<readonly [value: Value, words: ReactNode]>
  readonly chosen: ReadonlyArray<Value>
  readonly onChange: (chosen: ReadonlyArray<Value>) => void
}): ReactNode => {
  const id = useId()
  const turn = (value: Value, on: boolean) =>
    onChange(of.map(([each]) => each).filter((each) => (each === value ? on : chosen.includes(each))))
  return (
    <fieldset className="choices" aria-describedby={hint === undefined ? undefined : id}>
      <legend>{label}</legend>
      {hint === undefined ? null : (
        <p id={id} className="field-hint">
          {hint}
        </p>
      )}
      <div className="choices-all">
        {of.map(([value, words]) => (
          <label key={value} className="check">
            <input
              type="checkbox"
              checked={chosen.includes(value)}
              onChange={({ target }) => turn(value, target.checked)}
            />
            <span>{words}</span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
