/** The lines of a shell that check a generation. */

/** What they name. */
interface Checked {
  readonly generation: number
  readonly commit: string
}

/**
 * `origin` is the server's. The token stands in none of them: the shell puts it in, and git asks the command for it, so
 * that no file of the clone has it and no list of processes shows it.
 */
export const linesFor = (
  origin: string,
  project: string,
  { commit, generation }: Checked
): { readonly git: string; readonly curl: string; readonly verify: string } => {
  const auth = `"Authorization: Bearer $PAWL_TOKEN"`
  return {
    git: `pawl clone ${project} checked --url ${origin}\ngit -C checked rev-parse "${commit}^{tree}"`,
    curl: `curl -sS -H ${auth} \\\n  ${origin}/v1/projects/${project}/versions/${generation}/statement`,
    verify: `pawl verify ${origin} --project ${project} --generation ${generation} --trust-on-first-use`
  }
}
