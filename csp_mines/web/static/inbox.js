/** Reads text and files that a person pastes or drops. The server says what they contain. `app.js`
 * chooses the view. */

import { ask } from "./api.js";

const MOST_BYTES = 3_000_000; // of a file that the server reads

/** @typedef {{text: string} | {file: File}} Given */

/** What was pasted or dropped: the first file, or text; null if it is neither. @param {DataTransfer | null} data @returns {Given | null} */
export function givenIn(data) {
  const file = data?.files[0];
  if (file) return { file };
  const text = data?.getData("text/plain");
  return text ? { text } : null;
}

/**
 * Asks the server what was given. The answer has `kind`: "board", "layout", "recording" or "log", and
 * `body`, the fields that contain what was given; or `error`, and `unreadable` if the page did not
 * send the file.
 * @param {Given} given @param {string} [format] the notation, if it is known @returns {Promise<any>}
 */
export async function readGiven(given, format) {
  if ("file" in given && given.file.size > MOST_BYTES)
    return refusal(given.file, `has more than ${MOST_BYTES / 1e6} MB`);
  let body;
  try {
    body =
      "text" in given
        ? { text: given.text }
        : { data: await base64(given.file), name: given.file.name };
  } catch {
    return refusal(/** @type {any} */ (given).file, "is a folder, or the browser cannot open it");
  }
  if (body.data === "") return refusal(/** @type {any} */ (given).file, "is empty");
  const report = await ask("read", { ...body, format });
  return report.error ? report : { ...report, body };
}

/** @param {File} file @param {string} why */
const refusal = (file, why) => ({ error: `${file.name} ${why}`, unreadable: true });

/** @param {File} file @returns {Promise<string>} */
async function base64(file) {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192)
    letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
}
