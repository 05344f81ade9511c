/** The demo's narration: what happens, how long it took, and what shows it. */

/** Writes lines; a step that fails is told, and rejects as its work did. */
export interface Timeline {
  readonly title: (text: string) => void
  /** Runs one step and says what it came to, with its time. */
  readonly step: <A>(text: string, work: () => Promise<A>, detail?: (result: A) => ReadonlyArray<string>) => Promise<A>
  readonly say: (text: string) => void
}

const dim = (text: string, color: boolean) => (color ? `\u001b[2m${text}\u001b[22m` : text)
const bold = (text: string, color: boolean) => (color ? `\u001b[1m${text}\u001b[22m` : text)
const green = (text: string, color: boolean) => (color ? `\u001b[32m${text}\u001b[39m` : text)
const red = (text: string, color: boolean) => (color ? `\u001b[31m${text}\u001b[39m` : text)

const duration = (ms: number): string => (ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`)

/** In colours when `out` is a terminal. */
export const make = (out: { readonly write: (text: string) => unknown; readonly isTTY?: boolean }): Timeline => {
  const color = out.isTTY === true
  const line = (text = "") => void out.write(`${text}\n`)
  return {
    title: (text) => {
      line()
      line(bold(text, color))
    },
    say: (text) => line(text),
    step: async (text, work, detail) => {
      const began = performance.now()
      try {
        const result = await work()
        line(`  ${green("✓", color)} ${text} ${dim(`(${duration(performance.now() - began)})`, color)}`)
        for (const each of detail?.(result) ?? []) for (const row of each.split("\n")) line(dim(`      ${row}`, color))
        return result
      } catch (error) {
        line(`  ${red("✗", color)} ${text} ${dim(`(${duration(performance.now() - began)})`, color)}`)
        throw error
      }
    }
  }
}
