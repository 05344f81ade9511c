/** The lines of a shell that check a generation. */

/** What they name. */
interface Checked {
  readonly generation: number
  readonly commit: string
}

/** `origin` is the server's. The token stands in none of them: the shell puts it in. */
export const linesFor = (
  origin: string,
  project: string,
  { commit, generation }: Checked
): { readonly git: string; readonly curl: string; readonly verify: string } => {
  const auth = `"Authorization: Bearer $PAWL_TOKEN"`
  const withToken = origin.replace("://", "://git:$PAWL_TOKEN@")
  return {
    git: `git clone -q "${withToken}/git/${project}.git" checked\ngit -C checked rev-parse "${commit}^{tree}"`,
    curl: `curl -sS -H ${auth} \\\n  ${origin}/v1/projects/${project}/versions/${generation}/statement`,
    verify: `pawl verify ${origin} --project ${project} --generation ${generation} --trust-on-first-use`
  }
}
