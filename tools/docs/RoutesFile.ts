/** `packages/console/src/api/Routes.generated.ts`: where each endpoint of the contract is, for the console's client. */
import { HttpApi } from "effect/http-api"
import { PawlApi } from "@pawl/server/api"
import type { Page } from "./Markdown.ts"

const groups = (): ReadonlyMap<string, ReadonlyArray<string>> => {
  const found = new Map<string, Array<string>>()
  HttpApi.reflect(PawlApi, {
    onGroup: ({ group }) => void found.set(group.identifier, []),
    onEndpoint: ({ endpoint, group }) =>
      void found
        .get(group.identifier)
        ?.push(`    ${endpoint.identifier}: [${JSON.stringify(endpoint.method)}, ${JSON.stringify(endpoint.path)}]`)
  })
  return found
}

/** The file, laid out as the formatter would. */
export const routesFile = (): Page => ({
  path: "packages/console/src/api/Routes.generated.ts",
  text: `/** Made by \`npm run docs\` from the contract. Do not edit: the next run overwrites it. */

/** Method and path of each endpoint, by group and name. */
export const routes = {
${Array.from(groups(), ([name, endpoints]) => `  ${name}: {\n${endpoints.join(",\n")}\n  }`).join(",\n")}
} as const
`
})
