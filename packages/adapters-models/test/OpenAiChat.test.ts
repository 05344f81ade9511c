/** The name of a bound that OpenAI changed and nobody else did. */
import { openAiChat } from "@pawl/adapters-models/OpenAiChat"
import { askOf } from "@pawl/testing/contracts/agents/ModelsContract"
import { expect, it } from "vitest"

it.each([
  ["https://api.openai.com/v1", "max_completion_tokens"],
  ["https://shop.openai.azure.com/openai/v1", "max_completion_tokens"],
  ["http://127.0.0.1:11434/v1", "max_tokens"],
  ["https://openrouter.ai/api/v1", "max_tokens"],
  ["https://api.openai.com.elsewhere.example/v1", "max_tokens"]
])("asks %s for at most %s", (url, name) => {
  expect(openAiChat.body("m", askOf(), url)).toMatchObject({ [name]: 1024 })
})
