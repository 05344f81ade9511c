/** A value of several lines: its name, a hint, and what is wrong with it. */
import { type ReactNode, type TextareaHTMLAttributes, useId } from "react"

/** All attributes of a `<textarea>` may be given. */
export const LongTextField = ({
  hint,
  label,
  wrong = null,
  ...rest
}: Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "className" | "id"> & {
  readonly label: string
  readonly hint?: ReactNode
  readonly wrong?: string | null
}): ReactNode => {
  const id = useId()
  const described = [hint === undefined ? [] : [`${id}hint`], wrong === null ? [] : [`${id}wrong`]].flat()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        {...rest}
        id={id}
        className="input"
        aria-invalid={wrong !== null}
        aria-describedby={described.length === 0 ? undefined : described.join(" ")}
      />
      {hint === undefined ? null : (
        <p id={`${id}hint`} className="field-hint">
          {hint}
        </p>
      )}
      {wrong === null ? null : (
        <p id={`${id}wrong`} className="field-wrong" role="alert">
          {wrong}
        </p>
      )}
    </div>
  )
}
