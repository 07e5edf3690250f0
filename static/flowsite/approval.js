// The live card of one approval: what somebody else decides, and what came of it, shows without a reload.

import { onInbox } from "./inbox.js";
import { LiveRun } from "./live.js";
import { Parts, showState } from "./parts.js";

const card = document.getElementById("card");
const pill = document.getElementById("pill");

/** A form that is no longer wanted goes; what was typed stays readable. */
function closeForm() {
  const form = document.getElementById("decision");
  const outcome = card.querySelector('[data-part="outcome"] section');
  if (!form || !outcome) return;
  const comment = form.querySelector("textarea[name=comment]")?.value.trim();
  if (comment) {
    const kept = document.createElement("p");
    kept.className = "quiet";
    kept.textContent = `Your comment, which was not sent: “${comment}”`;
    card.querySelector('[data-part="outcome"]').append(kept);
  }
  form.remove();
  card.querySelector(".to-decision")?.remove();
  document.getElementById("heading").focus();
}

const parts = new Parts(card, () => window.location.pathname.replace(/(decide|delegate|take-back)\/$/, ""), {
  replace(name, fresh, old) {
    old.replaceWith(fresh);
    if (name !== "outcome") return true;
    // What is shown is what can be decided about: after a change by somebody else it has to be looked at anew.
    if (fresh.dataset.digest !== card.dataset.digest) document.getElementById("changed-meanwhile").hidden = false;
    closeForm();
    return true;
  },
});

// Handing over, reminders and escalation are no events of the run.
onInbox(() => parts.refresh());

new LiveRun({
  run: card.dataset.run,
  after: Number(card.dataset.after),
  onEvents: () => parts.refresh(),
  onState: (state, detail) => showState(pill, state, detail),
  onRestart: () => parts.refresh(),
});
