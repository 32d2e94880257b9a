/** The page of a director: the sign-in, the tournaments that are not over, and the form for a new one. */

import { ApiError, getJson } from "./api.js";
import { Director } from "./director.js";
import { byId, note, say } from "./dom.js";
import { RunningList } from "./directlist.js";
import { MakeForm } from "./makeform.js";
import { t } from "./texts.js";

const READ_EVERY_MS = 3000;

const director = new Director();
const list = new RunningList(director, read);
const form = new MakeForm(director, async (name, text) => {
  note(byId("done"), text);
  await read();
  list.focus(name);
});

/** @type {ReturnType<typeof setTimeout>|undefined} */
let timer;
let reading = 0;

/** Read the list now, and then at intervals. */
async function read() {
  clearTimeout(timer);
  const mine = ++reading;
  try {
    const { tournaments } = await getJson("/api/tournaments");
    if (mine !== reading) return;
    list.show(tournaments);
    note(byId("line"));
  } catch (error) {
    note(byId("line"), t`${/** @type {Error} */ (error).message} Trying again…`);
  }
  if (mine === reading && director.name) timer = setTimeout(read, READ_EVERY_MS);
}

async function show() {
  clearTimeout(timer);
  // Read the pools before the form shows: later they would interrupt a director who types.
  if (director.name) await form.readPools();
  const known = !!director.name;
  byId("who").hidden = known;
  byId("desk").hidden = !known;
  byId("me").textContent = director.name;
  if (known) read();
}

byId("who-form").addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  const account = byId("account").value.trim(), token = byId("token").value.trim();
  note(byId("who-fault"));
  try {
    await director.prove(account, token);
  } catch (error) {
    note(byId("who-fault"), /** @type {ApiError} */ (error).message);
    byId("token").focus();
    return;
  }
  byId("token").value = "";
  await show();
  byId("running-title").focus();
  say(t`You direct as ${account}`);
});

byId("sign-out").addEventListener("click", () => {
  director.forget();
  show();
  byId("account").focus();
});

show();
