/** Language models over HTTP, a namespace per file. */
export * as AnthropicMessages from "./AnthropicMessages.ts"
export * as CallFailures from "./CallFailures.ts"
export * as EndpointLook from "./EndpointLook.ts"
export * as HttpModels from "./HttpModels.ts"
export * as ModelEndpoint from "./ModelEndpoint.ts"
export * as ModelsLimits from "./ModelsLimits.ts"
export * as OpenAiChat from "./OpenAiChat.ts"
export * as WireDialect from "./WireDialect.ts"
