/** What a budget may be. */

/** The most that the server takes, in US dollars. */
export const maxBudgetUsd = 100

/** What is wrong with it, in words; null for nothing. The server judges again. */
export const budgetProblem = (text: string): string | null => {
  const isMoney = /^\d+(\.\d{1,2})?$/.test(text.trim())
  const value = Number(text)
  return isMoney && value > 0 && value <= maxBudgetUsd
    ? null
    : `Above 0 and at most ${maxBudgetUsd}, with at most two decimals.`
}
