/** The page of a person's account: sign up, in and out, the password, and tokens for programs. */

import { postAccount, readAccount, tellSignedOut } from "./accounts.js";
import { confirmed } from "./choice.js";
import { byId, make, note, say, setText } from "./dom.js";
import { playerHref } from "./people.js";
import { forgetGameOfSession } from "./runninggame.js";
import { t } from "./texts.js";
import { dateText } from "./words.js";

const RETRY_MS = 3000;
const INVITED = "#invite="; // in the page's address, after the #, which no server receives
const SIGNED_OUT = 401;

/** @param {"off"|"out"|"in"} part */
function show(part) {
  for (const other of ["off", "out", "in"]) byId(other).hidden = other !== part;
}

async function read() {
  const { sign_up: mode, account } = await readAccount();
  if (mode === "off") show("off");
  else if (account) showAccount(account);
  else {
    byId("invite-part").hidden = byId("invite-hint").hidden = mode === "open" && !invite;
    byId("up-form").elements.invite.required = mode === "invite";
    show("out");
  }
}

/** @param {import("./accounts.js").Account} account */
function showAccount({ name, created_at, sessions, expires_at, tokens }) {
  setText(byId("me"), name);
  document.title = t`Account of ${name}`;
  const browsers = sessions === 1 ? t`Only this browser is` : t`${sessions} browsers are`;
  setText(byId("facts"), t`Since ${dateText(created_at)}. ${browsers} signed in; this one until ${dateText(expires_at)}.`);
  byId("page").href = playerHref(name) ?? "/players";
  byId("no-tokens").hidden = tokens.length > 0;
  byId("tokens").replaceChildren(...tokens.map(tokenEntry));
  show("in");
}

/** @param {import("./accounts.js").Token} token */
function tokenEntry({ id, label, scope, created_at, last_used_at }) {
  const called = label || t`Token ${id}`;
  const facts = [scope === "admin" ? t`administrator` : "", t`made ${dateText(created_at)}`, last_used_at ? t`last used ${dateText(last_used_at)}` : t`never used`];
  return make("li", { class: "entry" },
    make("span", { class: "entry-what" }, make("b", {}, called), make("span", { class: "quiet" }, ` ${facts.filter(Boolean).join(", ")}`)),
    make("button", { type: "button", class: "danger", "aria-label": t`Revoke ${called}`, onclick: () => revoke(id, called) }, t`Revoke`));
}

/** @param {number} id @param {string} called */
async function revoke(id, called) {
  if (!await confirmed(t`Revoke ${called}? No program can connect with it any more.`, t`Revoke`, t`Keep it`)) return;
  await act(() => postAccount("tokens/revoke", { id: String(id) }), t`${called} is revoked.`);
  byId("made").hidden = true;
  byId("tokens-title").focus();
}

/** Run `does`, and show what has changed. @param {() => Promise<any>} does @param {string} done @param {string} [fault] where to show a refusal
 * @returns {Promise<any>} the server's answer; null: the server refused */
async function act(does, done, fault = "fault") {
  for (const one of ["done", "fault", fault]) note(byId(one));
  try {
    const answer = await does();
    await read();
    note(byId("done"), done);
    say(done);
    return answer;
  } catch (error) {
    if (error.status === SIGNED_OUT && fault === "fault") { // elsewhere, or long ago
      await read();
      byId("in-form").elements.name.focus();
    }
    note(byId(byId("in").hidden && fault === "fault" ? "in-fault" : fault), error.message);
    return null;
  }
}

/** Send a form when it is submitted, once at a time. @param {string} id @param {(said: Object<string, string>, form: any) => Promise<void>} send */
function onSend(id, send) {
  const form = byId(id), button = form.querySelector("button");
  form.addEventListener("submit", async (/** @type {SubmitEvent} */ event) => {
    event.preventDefault();
    if (button.getAttribute("aria-disabled")) return;
    button.setAttribute("aria-disabled", "true");
    await send(Object.fromEntries(/** @type {[string, string][]} */ ([...new FormData(form)])), form);
    button.removeAttribute("aria-disabled");
  });
}

onSend("in-form", async (said, form) => {
  const known = await act(() => postAccount("sign-in", { ...said, name: said.name.trim() }), t`You are signed in.`, "in-fault");
  form.elements.password.value = "";
  if (known) byId("me").focus();
  else form.elements.password.focus();
});
onSend("up-form", async (said, form) => {
  const made = await act(() => postAccount("sign-up", { ...said, name: said.name.trim() }), t`Your account is made, and you are signed in.`, "up-fault");
  if (!made) return;
  form.reset();
  invite = "";
  byId("me").focus();
});
onSend("change-form", async (said, form) => {
  const changed = await act(() => postAccount("password", said), t`Your password is changed; all other browsers are signed out.`, "change-fault");
  if (changed) form.reset();
});
onSend("token-form", async (said, form) => {
  const made = await act(() => postAccount("tokens", said), t`The token is made.`);
  if (!made) return;
  form.reset();
  byId("made").hidden = false;
  byId("new-token").value = made.token;
  byId("new-token").focus();
  byId("new-token").select();
});
byId("copy").addEventListener("click", async () => {
  byId("new-token").select();
  try {
    await navigator.clipboard.writeText(byId("new-token").value);
    say(t`Copied.`);
  } catch {
    say(t`Your browser copies nothing here: the token is selected, copy it yourself.`);
  }
});

/** @param {string} path @param {string} said */
async function leave(path, said) {
  byId("made").hidden = true;
  byId("new-token").value = "";
  if (await act(() => postAccount(path), "")) {
    forgetGameOfSession();
    tellSignedOut();
    say(said);
    byId("in-form").elements.name.focus();
  }
}
byId("sign-out").addEventListener("click", () => leave("sign-out", t`You are signed out.`));
byId("everywhere").addEventListener("click", () => leave("sign-out-everywhere", t`All browsers are signed out.`));

let invite = "";
if (location.hash.startsWith(INVITED)) {
  invite = location.hash.slice(INVITED.length);
  history.replaceState(null, "", location.pathname);
  byId("up-form").elements.invite.value = invite;
}

async function begin() {
  try {
    await read();
    note(byId("line"));
  } catch (error) {
    note(byId("line"), t`${error.message} Trying again…`);
    setTimeout(begin, RETRY_MS);
  }
}

begin();
