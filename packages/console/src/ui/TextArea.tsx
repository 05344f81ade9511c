/** A value of more than one line. */
import { type ReactNode, type TextareaHTMLAttributes, useId } from "react"

/** As the fields of `Field.tsx`. `isCode` shows it as a machine reads it. */
export const TextArea = ({
  hint,
  isCode = false,
  label,
  wrong = null,
  ...rest
}: {
  readonly label: string
  readonly hint?: ReactNode
  readonly wrong?: string | null
  readonly isCode?: boolean
} & Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, "className" | "id">): ReactNode => {
  const id = useId()
  const described = [hint === undefined ? [] : [`${id}hint`], wrong === null ? [] : [`${id}wrong`]].flat()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        rows={4}
        {...rest}
        id={id}
        className={isCode ? "input input-code" : "input"}
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
