/** Programs of ours that run as processes of their own. */
import { fileURLToPath } from "node:url"

/**
 * The arguments of Node for a program beside a module of ours. `from` is that module's `import.meta.url`. From the
 * sources it is a .ts file, which Node runs as it is and which finds our packages as sources too; from dist a .js file.
 */
export const ownProgram = (from: string, name: string): ReadonlyArray<string> =>
  from.endsWith(".ts")
    ? ["--conditions=pawl-source", fileURLToPath(new URL(`./${name}.ts`, from))]
    : [fileURLToPath(new URL(`./${name}.js`, from))]
