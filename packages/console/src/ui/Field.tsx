/** A value that somebody gives: its name, a hint, and what is wrong with it. */
import {
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
  useId
} from "react"

interface Told {
  readonly label: string
  readonly hint?: ReactNode
  /** What is wrong with it, in words. Null: nothing. */
  readonly wrong?: string | null
}

interface Given {
  readonly id: string
  readonly className: "input"
  readonly "aria-invalid": boolean
  readonly "aria-describedby": string | undefined
}

const Around = ({
  children,
  hint,
  label,
  wrong = null
}: Told & { readonly children: (given: Given) => ReactNode }): ReactNode => {
  const id = useId()
  const described = [hint === undefined ? [] : [`${id}hint`], wrong === null ? [] : [`${id}wrong`]].flat()
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        className: "input",
        "aria-invalid": wrong !== null,
        "aria-describedby": described.length === 0 ? undefined : described.join(" ")
      })}
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

/** One line of text. All attributes of an `<input>` may be given. */
export const TextField = ({
  hint,
  label,
  wrong = null,
  ...rest
}: Told & Omit<InputHTMLAttributes<HTMLInputElement>, "className" | "id">): ReactNode => (
  <Around label={label} hint={hint} wrong={wrong}>
    {(given) => <input {...rest} {...given} />}
  </Around>
)

/** Text of more than one line. `isCode` shows it as a machine reads it. */
export const TextAreaField = ({
  hint,
  isCode = false,
  label,
  wrong = null,
  ...rest
}: Told & { readonly isCode?: boolean } & Omit<
    TextareaHTMLAttributes<HTMLTextAreaElement>,
    "className" | "id"
  >): ReactNode => (
  <Around label={label} hint={hint} wrong={wrong}>
    {(given) => <textarea rows={4} {...rest} {...given} className={isCode ? "input input-code" : "input"} />}
  </Around>
)

/** One of a few. Its children are `<option>`s. */
export const SelectField = ({
  hint,
  label,
  wrong = null,
  ...rest
}: Told & Omit<SelectHTMLAttributes<HTMLSelectElement>, "className" | "id">): ReactNode => (
  <Around label={label} hint={hint} wrong={wrong}>
    {(given) => <select {...rest} {...given} />}
  </Around>
)
