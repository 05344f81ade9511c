/** One of a few that stand side by side: radio buttons, which the arrow keys walk through. */
import { type ReactNode, useId } from "react"
import "./segments.css"

/** `label` is the name of the group for screen readers. */
export const Segments = <Value extends string>({
  choose,
  chosen,
  label,
  options
}: {
  readonly label: string
  readonly options: ReadonlyArray<{ readonly value: Value; readonly title: string }>
  readonly chosen: Value
  readonly choose: (value: Value) => void
}): ReactNode => {
  const name = useId()
  return (
    <div className="segments" role="radiogroup" aria-label={label}>
      {options.map(({ title, value }) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => choose(value)} />
          {title}
        </label>
      ))}
    </div>
  )
}
