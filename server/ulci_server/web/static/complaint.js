/** A complaint about a player, which the server's administrators read. */

import { askForm } from "./formdialog.js";
import { oneLine } from "./lobby.js";
import { t } from "./texts.js";

/** Ask the person what happened, and send the complaint. @param {string} name @param {(line: string) => boolean} tell sends a line to the server */
export const complain = (name, tell) => askForm(
  t`Complain to the administrators about ${name}`,
  [{ name: "text", label: t`What happened?`, required: true }],
  async ({ text }) => {
    const said = oneLine(text);
    if (!said) throw new Error(t`Nothing is written yet.`);
    if (!tell(`complain ${name} ${said}`)) throw new Error(t`The connection is lost; try it again in a moment.`);
  },
  t`Complain`,
);
