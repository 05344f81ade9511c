/** One thing that breaks a rule of the house, said so that the reader knows where and why. */
export interface Finding {
  /** Path from the root of the workspace. */
  readonly file: string
  /** 1-based; 0 when the whole file is meant. */
  readonly line: number
  /** Short name of the rule, such as `imports` or `floating-effect`. */
  readonly rule: string
  readonly message: string
}

export const show = (finding: Finding): string =>
  `${finding.file}${finding.line > 0 ? `:${finding.line}` : ""} ${finding.rule}: ${finding.message}`
