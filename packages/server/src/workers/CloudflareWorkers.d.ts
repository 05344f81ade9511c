/// <reference path="../../../adapters-cloudflare/src/CloudflareWorkers.d.ts" />

/** Modules that the deployment lays beside a script. */
declare module "*.txt" {
  const text: string
  export default text
}
declare module "*.wasm" {
  const module: WebAssembly.Module
  export default module
}

/** The files of the templates, which the deployment puts in the place of this name. */
declare const PAWL_TEMPLATES: Readonly<
  Record<import("@pawl/core/project/Templates").TemplateName, import("@pawl/core/project/Repositories").FileEdits>
>
