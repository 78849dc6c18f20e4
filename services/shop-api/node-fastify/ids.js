// Ids in paths and queries: whole numbers of 64 bits, which JavaScript's numbers do not hold, so they stay texts.

const LARGEST = 2n ** 63n - 1n;
const MOST_IDS = 100;
const SURELY_SMALL = /^0*[1-9][0-9]{0,17}$/;
const PERHAPS_SMALL = /^0*[1-9][0-9]{18}$/;

/** Whether a text is a whole number from 1 to the largest of 64 bits. */
export function isId(text) {
  return SURELY_SMALL.test(text) || (PERHAPS_SMALL.test(text) && BigInt(text) <= LARGEST);
}

/** Whether a text is a list of 1 to 100 ids. */
export function isListOfIds(text) {
  const ids = listOf(text);
  return ids.length <= MOST_IDS && ids.every(isId);
}

/** The ids of a list. */
export function listOf(text) {
  return text.split(',');
}
